# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The job uses one queue pair for each connection, and takes one of all paths.
in_tests_run=no

play() {
  audit_before
  judge_by job-queue-pairs << 'END_YAML'
job:
  queue_pairs: 1
END_YAML
  audit broken
  require_root_causes broken before
  judge_by_default
  audit_after_repair
}

expect() {
  local host
  for host in host1 host2 host3; do fails job.queue-pairs "$host"; done
}
