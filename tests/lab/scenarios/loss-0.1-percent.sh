# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The switch loses one packet in a thousand of what it sends to host2: the policy says that so little is to be seen.
in_tests_run=no

audit_seconds=240
prepare() { see_loss_of 1000; }
dismantle() { judge_by_default; }

break_it() { on switch tc qdisc replace dev port2 root netem loss 0.1%; }
# Both of host2's peers lose what they send to it, and the third pair loses nothing.
expect() { fails blame.loss host2; }
mend() { on switch tc qdisc del dev port2 root; }

broken() { netem_drops port2 host1 10.77.0.2; }
