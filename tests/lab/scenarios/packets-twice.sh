# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# One in twenty packets to host2 comes twice.
in_tests_run=no

break_it() { on switch tc qdisc replace dev port2 root netem duplicate 5%; }
expect() {
  fails probe.delivery 'host1>host2'
  fails probe.delivery 'host3>host2'
}
examine() {
  require_json broken '[.. | objects | select(.check_id? == "probe.delivery" and .status? == "CHECK_STATUS_FAIL")]
    | length > 0 and all(.actual | test("twice"))'
}
mend() { on switch tc qdisc del dev port2 root; }

broken() { shows switch 'duplicate 5%' tc qdisc show dev port2; }
