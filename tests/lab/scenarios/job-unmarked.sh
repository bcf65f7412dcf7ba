# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The job is told traffic class 128 where the fabric's DSCP is 26: it would travel in another class.
in_tests_run=no

# As a job's prolog would ask: with what the agents say now and the job's own environment. A policy that contradicts
# itself that way is refused when it is read.
judge_facts_for_job() { # NAME TRAFFIC_CLASS
  local facts=$scenario_work/facts host status=0
  mkdir -p "$facts"
  for host in host1 host2 host3; do on "$host" roceready-agent facts > "$facts/$host.json"; done
  echo "NCCL_IB_TC=$2" > "$scenario_work/job.env"
  client audit --facts "$facts" --policy "$(lab_policy)" --job-env "$scenario_work/job.env" --output json \
    > "$scenario_work/$1.json" || status=$?
  echo $status > "$scenario_work/$1.status"
  root_causes "$1" > "$scenario_work/$1.causes"
}

play() {
  judge_facts_for_job before 106
  require_verdict before READY
  judge_facts_for_job broken 128
  require_root_causes broken before
  require_verdict broken READY
}

expect() {
  local host
  for host in host1 host2 host3; do fails job.traffic-class "$host"; done
}
