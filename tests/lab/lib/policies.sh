# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# For scenarios that need another policy than `lab`: made from it, given to the controller, and asked for by every
# audit from then on.

# judge_by NAME [DROPPED_KEY...] < YAML: the policy `lab` without these keys of its intent, and with this text after it.
judge_by() {
  local name=$1 key without=(-e '')
  shift
  for key in "$@"; do without+=(-e "/^  $key:/d"); done
  { sed "${without[@]}" "$(lab_policy)" && cat; } | give_policy "$name"
  audit_policy=$name
}

# What moves less than 16 MiB says nothing of bandwidth, and `lab` moves 3 a phase: six times as many messages, and
# time for them where the way is narrow.
judge_bandwidth() {
  sed -e 's/^  iterations: .*/  iterations: 600/' -e 's/^  phase_deadline: .*/  phase_deadline: 90s/' \
    -e 's/^  session_deadline: .*/  session_deadline: 300s/' "$(lab_policy)" | give_policy bandwidth
  audit_policy=bandwidth
}

# Loss of so many packets in a million is to be seen.
see_loss_of() { # PPM
  sed -e "s/^probes:/&\n  loss_to_see_ppm: $1/" "$(lab_policy)" | give_policy loss
  audit_policy=loss
}

# Datagrams go over so many flows; agents allow as many queue pairs.
spread_datagrams() { # FLOWS
  sed -e "s/^probes:/&\n  datagram_flows: $1/" "$(lab_policy)" | give_policy flows
  audit_policy=flows
}

judge_by_default() { audit_policy=; }

lab_policy() { echo "$lab_dir/cluster/policies/lab.yaml"; }

give_policy() { # NAME < YAML
  local file=$scenario_work/$1.yaml known
  sed "s/^name: .*/name: $1/" > "$file"
  client policy validate "$file" > /dev/null
  known=$(policies_read)
  cp "$file" "$lab_dir/cluster/policies/"
  kill -HUP "$(controller_pid)"
  wait_for_policies $((known + 1))
}

policies_read() { grep -c 'policies read again' "$lab_dir/cluster/controller.log" || true; }

wait_for_policies() { # HOW_OFTEN_READ
  local deadline=$((SECONDS + settle_seconds))
  until [ "$(policies_read)" -ge "$1" ]; do
    [ $SECONDS -lt $deadline ] || die "the controller does not read its policies again"
    sleep 0.2
  done
}
