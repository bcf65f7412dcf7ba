# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A switch port sets the DSCP of what comes in to 0, as one that does not trust its hosts: their packets lose their class.
in_tests_run=no

prepare() { start_privileged_program host1 host2 host3; }
dismantle() { stop_privileged_program host1 host2 host3; }

# The lower two bits are ECN, and stay.
break_it() {
  on switch tc qdisc add dev port1 ingress
  on switch tc filter add dev port1 ingress protocol ip u32 match ip protocol 17 0xff \
    action pedit ex munge ip tos set 0 retain 0xfc pipe csum ip
}
expect() {
  fails probe.traffic-class 'host1>host2'
  fails probe.traffic-class 'host1>host3'
}
# Host1 itself has sent them as ordered.
examine() {
  require_json broken '[.. | objects | select(.check_id? == "probe.traffic-class" and .status? == "CHECK_STATUS_FAIL")]
    | length > 0 and all(.actual | test("changed on the way"))'
}
mend() { on switch tc qdisc del dev port1 ingress; }

broken() { shows switch 'pedit action' tc filter show dev port1 ingress; }
