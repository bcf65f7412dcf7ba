# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Two hosts have one address: whoever answered ARP last gets the packets.
in_tests_run=yes

break_it() { on host3 ip addr add 10.77.0.2/24 dev eth0; }
expect() { fails address.duplicate 10.77.0.2; }
examine() {
  require_json broken '[.. | objects | select(.check_id? == "address.duplicate" and .status? == "CHECK_STATUS_FAIL")]
    | length > 0 and all([.evidence[].host] | unique == ["host2", "host3"])'
}
mend() {
  on host3 ip addr del 10.77.0.2/24 dev eth0
  # Also the failed ones: they are an advice by themselves, until somebody asks again.
  local host
  for host in host1 host2 host3; do on "$host" ip neigh flush dev eth0 nud all; done
}

broken() { tool_says host3 'any(.[0].addr_info[]; .local == "10.77.0.2")' ip -j addr show dev eth0; }
