# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A static entry of host1 has an old MAC for host2: connections are set up and then time out.
in_tests_run=no

break_it() { on host1 ip neigh replace 10.77.0.2 lladdr 02:de:ad:00:00:02 nud permanent dev eth0; }
expect() { fails neighbour.mac 'host1>host2'; }
mend() {
  on host1 ip neigh del 10.77.0.2 dev eth0
  ping_passes host1 10.77.0.2 56
}

broken() { tool_says host1 'any(.dst == "10.77.0.2" and .lladdr == "02:de:ad:00:00:02")' ip -j neigh show dev eth0; }
