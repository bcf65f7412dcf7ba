# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What one host replies (READ responses and acknowledgements) is lost; what it asks for arrives.
in_tests_run=no

# Behind IPv4 and UDP the first byte is the opcode: 13 to 16 are READ responses, 17 is an acknowledgement.
break_it() {
  local opcode
  on switch tc qdisc add dev port2 ingress
  for opcode in 13 14 15 16 17; do
    on switch tc filter add dev port2 ingress protocol ip u32 match ip protocol 17 0xff match ip dport 4791 0xffff \
      match u8 "$opcode" 0xff at 28 action drop
  done
}
expect() { fails blame.no-traffic host2; }
# The requests that host2's peers send do arrive there, and are repeated.
examine() {
  require_json broken '[.. | objects | select((.check_id? == "probe.write" or .check_id? == "probe.read") and .status? == "CHECK_STATUS_FAIL")]
    | length > 0 and any(.actual | test("its replies to host[13] are lost"))'
}
mend() { on switch tc qdisc del dev port2 ingress; }

broken() { shows switch 'action drop' tc filter show dev port2 ingress; }
