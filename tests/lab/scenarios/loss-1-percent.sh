# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The switch loses 1 % of what it sends to host2.
in_tests_run=yes

break_it() { on switch tc qdisc replace dev port2 root netem loss 1%; }
# Both of host2's peers lose what they send to it, and the third pair loses nothing.
expect() { fails blame.loss host2; }
# The counters that tell loss on the way there from loss on the way back are those of both ends.
examine() {
  require_json broken '[.. | objects | select(.check_id? == "probe.loss" and .status? == "CHECK_STATUS_FAIL")]
    | length > 0 and all([.evidence[] | select((.counters // []) != []) | .host] | unique | length == 2)'
}
mend() { on switch tc qdisc del dev port2 root; }

broken() { netem_drops port2 host1 10.77.0.2; }
