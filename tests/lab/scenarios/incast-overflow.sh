# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The switch port to host3 holds what one sender has on its way, and not what two have: each pair by itself is well.
in_tests_run=no

prepare() { audit_plan=incast:2; }
dismantle() { audit_plan=; }

# Soft-RoCE sends 128 packets ahead (Linux 6.1, RXE_MAX_UNACKED_PSNS), 540 kB of 4096 bytes each.
break_it() { on switch tc qdisc replace dev port3 root tbf rate 24mbit burst 20kb limit 700kb; }
expect() { fails probe.incast host3; }
examine() {
  audit_plan='' audit alone
  require_verdict alone READY
  require_json alone '[.. | objects | select(.status? == "CHECK_STATUS_FAIL") | .check_id // ""] | all(startswith("probe.") | not)'
}
mend() { on switch tc qdisc del dev port3 root; }

broken() { shows switch 'tbf .*rate 24Mbit' tc qdisc show dev port3; }
