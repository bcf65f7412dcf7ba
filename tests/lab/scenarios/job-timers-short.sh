# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The job gives up after half a second: any link that flaps kills it.
in_tests_run=no

play() {
  audit_before
  judge_by job-timers << 'END_YAML'
job:
  ack_timeout_exponent: 14
  retry_count: 7
END_YAML
  audit broken
  require_root_causes broken before
  judge_by_default
  audit_after_repair
}

expect() {
  local host
  for host in host1 host2 host3; do fails job.timers "$host"; done
}
