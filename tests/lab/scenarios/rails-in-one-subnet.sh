# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Two rails of a host are in one subnet, and each answers ARP for the other.
in_tests_run=no

# That a dummy device is no such NIC as others have in that subnet is true, and of the lab alone.
prepare() {
  rails_policy rails-of-any-model << 'END_YAML'
checks:
  - check_id: model.odd-one-out
    enabled: false
  - check_id: slot.odd-one-out
    enabled: false
  - check_id: name.odd-one-out
    enabled: false
END_YAML
  add_second_rail host2
}
dismantle() {
  remove_second_rail host2
  judge_by_default
}

break_it() {
  on host2 ip addr del 10.78.2.1/24 dev rail2
  # Without a route: packets still leave by the first.
  on host2 ip addr add 10.77.0.202/24 dev rail2 noprefixroute
}
expect() { fails address.arp-flux host2; }
mend() {
  on host2 ip addr del 10.77.0.202/24 dev rail2
  on host2 ip addr add 10.78.2.1/24 dev rail2
  local host
  for host in host1 host2 host3; do on "$host" ip neigh flush dev eth0 nud all; done
}

broken() { tool_says host2 'any(.[].addr_info[]; .local == "10.77.0.202")' ip -j addr show dev rail2; }
