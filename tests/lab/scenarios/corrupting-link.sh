# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The switch turns bits over in 1 % of what it sends to host2: packets with wrong checksums are lost.
in_tests_run=no

break_it() { on switch tc qdisc replace dev port2 root netem corrupt 1%; }
# Both of host2's peers lose what they send to it, and the third pair loses nothing.
expect() { fails blame.loss host2; }
# Not one wrong byte is taken for right: what passed was verified.
examine() {
  require_json broken '[.. | objects | select(.status? == "CHECK_STATUS_FAIL") | .check_id] | unique
    | all(. == "blame.loss" or . == "probe.loss" or . == "loss.counters-moving")'
}
mend() { on switch tc qdisc del dev port2 root; }

broken() { shows switch 'corrupt 1%' tc qdisc show dev port2; }
