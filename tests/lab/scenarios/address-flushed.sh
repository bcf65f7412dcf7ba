# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The NIC of a host has lost all of its addresses.
in_tests_run=no

break_it() { on host2 ip addr flush dev eth0; }
expect() { fails gid.rocev2-ipv4 host2; }
# The link-local one comes back with the link.
mend() {
  on host2 sh -c 'ip link set eth0 down && ip addr add 10.77.0.2/24 dev eth0 && ip link set eth0 up'
}

broken() { tool_says host2 '.[0].addr_info == []' ip -j addr show dev eth0; }
