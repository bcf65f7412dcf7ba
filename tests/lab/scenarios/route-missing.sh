# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A rail has its address and no route: its peers get no answer.
in_tests_run=no

break_it() { on host2 ip route del 10.77.0.0/24 dev eth0; }
expect() { fails route.rail-device host2; }
mend() {
  on host2 ip route add 10.77.0.0/24 dev eth0 proto kernel scope link src 10.77.0.2
  ping_passes host2 10.77.0.1 56
}

broken() { ! shows host2 '^10\.77\.0\.0/24 ' ip route show; }
