# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# All is green, and one host sends at a fraction of what the others do.
in_tests_run=no

# 16 MiB a phase are the least that says anything of bandwidth; through the narrow way they take half a minute.
audit_seconds=420
prepare() { judge_bandwidth; }
dismantle() { judge_by_default; }

break_it() { on host2 tc qdisc replace dev eth0 root tbf rate 5mbit burst 64k limit 4mb; }
# It is slow with all of its peers, so that it is blamed, and they are not.
expect() { fails blame.slow host2; }
examine() {
  require_json broken '[.. | objects | select(.check_id? == "blame.slow" and .status? == "CHECK_STATUS_FAIL")]
    | any(.. | strings | test("slow, .*: 2 of 2 pairs, 1 other is well"))'
}
mend() { on host2 tc qdisc del dev eth0 root; }

broken() { shows host2 'tbf .*rate 5Mbit' tc qdisc show dev eth0; }
