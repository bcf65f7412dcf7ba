# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Some of the packets to host2 overtake others, as where packets instead of flows are spread over paths. A connection takes
# that for loss; numbered datagrams tell that nothing is lost.
in_tests_run=no

break_it() { on switch tc qdisc replace dev port2 root netem delay 2ms reorder 20%; }
expect() {
  fails probe.delivery 'host1>host2'
  fails probe.delivery 'host3>host2'
}
examine() {
  require_json broken '[.. | objects | select(.check_id? == "probe.delivery" and .status? == "CHECK_STATUS_FAIL")]
    | length > 0 and all(.actual | test("late"))'
}
mend() { on switch tc qdisc del dev port2 root; }

broken() { shows switch 'reorder 20%' tc qdisc show dev port2; }
