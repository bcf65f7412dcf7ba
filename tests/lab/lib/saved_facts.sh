# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# For scenarios that judge what agents print (`roceready-agent facts`), without the controller: what a job's prolog or a
# pod sees of its host.

# save_facts HOST [COMMAND...]: what an agent that this command starts reads there.
save_facts() {
  local host=$1
  shift
  mkdir -p "$scenario_work/facts"
  on "$host" "$@" roceready-agent facts > "$scenario_work/facts/$host.json"
}

# judge_saved_facts NAME [OPTION...]: by the policy `lab`.
judge_saved_facts() {
  local name=$1 status=0
  shift
  client audit --facts "$scenario_work/facts" --policy "$(lab_policy)" --output json "$@" \
    > "$scenario_work/$name.json" || status=$?
  echo $status > "$scenario_work/$name.status"
  root_causes "$name" > "$scenario_work/$name.causes"
}
