# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A smaller MTU inside the switch: hosts agree with each other, small payloads pass, large ones vanish.
in_tests_run=yes

set_ports() {
  local port
  for port in 1 2 3; do
    on switch ip link set "port$port" mtu "$1"
  done
}

break_it() { set_ports 1500; }
expect() {
  local from to
  for from in 1 2 3; do
    for to in 1 2 3; do
      [ "$from" = "$to" ] || fails probe.large-only "host$from>host$to"
    done
  done
}
mend() { set_ports 9000; }

broken() { ping_passes host1 10.77.0.2 56 && ! ping_passes host1 10.77.0.2 4096; }
