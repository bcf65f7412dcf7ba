# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The route to a rail's subnet leaves by another device: connection set-up goes astray.
in_tests_run=no

break_it() {
  on host2 sh -c 'ip link add stray type dummy && ip link set stray up && ip addr add 10.79.0.2/32 dev stray &&
    ip route replace 10.77.0.0/24 dev stray'
}
expect() { fails route.rail-device host2; }
mend() {
  on host2 sh -c 'ip link del stray && ip route replace 10.77.0.0/24 dev eth0 proto kernel scope link src 10.77.0.2'
  ping_passes host2 10.77.0.1 56
}

broken() { tool_says host2 '.[0].dev == "stray"' ip -j route get 10.77.0.1; }
