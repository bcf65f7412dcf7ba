# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# One host's replies (READ responses and acknowledgements) leave with DSCP 0: half of the traffic is not in the lossless class.
in_tests_run=no

prepare() { start_privileged_program host1 host2 host3; }
dismantle() { stop_privileged_program host1 host2 host3; }

# Behind IPv4 and UDP the first byte is the opcode: 13 to 16 are READ responses, 17 is an acknowledgement.
break_it() {
  local opcode
  on host2 tc qdisc add dev eth0 clsact
  for opcode in 13 14 15 16 17; do
    on host2 tc filter add dev eth0 egress protocol ip u32 match ip protocol 17 0xff match ip dport 4791 0xffff \
      match u8 "$opcode" 0xff at 28 action pedit ex munge ip tos set 0 pipe csum ip
  done
}
expect() {
  fails probe.traffic-class 'host2>host1'
  fails probe.traffic-class 'host2>host3'
}
examine() {
  require_json broken '[.. | objects | select(.check_id? == "probe.traffic-class" and .status? == "CHECK_STATUS_FAIL")]
    | length > 0 and all(.actual | test("replies arrive with DSCP 0") and test("host2 sends them so") and (test("requests") | not))'
}
mend() { on host2 tc qdisc del dev eth0 clsact; }

broken() { shows host2 'pedit action' tc filter show dev eth0 egress; }
