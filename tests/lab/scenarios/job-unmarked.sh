# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The job is told traffic class 128 where the fabric's DSCP is 26: it would travel in another class.
in_tests_run=no

# By the job's own environment, as its prolog would ask: a policy that contradicts itself that way is refused.
judge_job_of_class() { # NAME TRAFFIC_CLASS
  echo "NCCL_IB_TC=$2" > "$scenario_work/job.env"
  judge_saved_facts "$1" --job-env "$scenario_work/job.env"
}

play() {
  local host
  for host in host1 host2 host3; do save_facts "$host"; done
  judge_job_of_class before 106
  require_verdict before READY
  judge_job_of_class broken 128
  require_root_causes broken before
}

expect() {
  local host
  for host in host1 host2 host3; do fails job.traffic-class "$host"; done
}
