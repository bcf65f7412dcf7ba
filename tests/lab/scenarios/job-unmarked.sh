# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The job is told traffic class 128 where the fabric's DSCP is 26: it would travel in another class.
in_tests_run=no

play() {
  audit_before
  judge_by job-class << 'END_YAML'
job:
  traffic_class: 128
END_YAML
  audit broken
  require_root_causes broken before
  judge_by_default
  audit_after_repair
}

expect() {
  local host
  for host in host1 host2 host3; do fails job.traffic-class "$host"; done
}
