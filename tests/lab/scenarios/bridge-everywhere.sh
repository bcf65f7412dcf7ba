# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The same address is on a bridge of every host, as docker0 has: no rail, so that nothing is to be said of it.
in_tests_run=no

play() {
  audit_before
  local host
  for host in host1 host2 host3; do
    on "$host" sh -c 'ip link add docker0 type dummy && ip addr add 172.17.0.1/16 dev docker0 && ip link set docker0 up'
  done
  audit bridged
  require_verdict bridged READY
  require_no_new_root_causes bridged before
  mend
  audit_after_repair
}

mend() {
  local host
  for host in host1 host2 host3; do on "$host" ip link del docker0 2> /dev/null || true; done
}
