# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Scenarios: break one thing, see that the audit finds exactly that, mend it, see that all is green.
#
# A scenario is a file scenarios/NAME.sh. Its first comment line is its title. It sets in_tests_run to
# yes or no (part of tests/run, or of tests/run --all only) and defines
#   break_it, mend   the fault and its repair
#   expect           the root causes to be found, by calls of `fails` and `unknown`
#   examine          what else must hold of the audit `broken` (optional)
#   broken           whether it is broken, as a tool sees it that we trust (dcb, rdma, ip, tc)
#   prepare, dismantle
#                    what the fault needs around it and that is healthy by itself: another policy (`judge_by` of
#                    lib/policies.sh), a second rail, a program that starts jobs (optional)
# or, where time matters (a program dies in the middle of something),
#   play             the whole of it, with the functions of lib/audit.sh
# `broken` guards against a scenario that no longer breaks anything, and lets scenarios be tried
# without our own programs: lab scenario --tools-only NAME.

status_skipped=77
settle_seconds=20 # an address, a neighbour entry or a link may take a while to be back

# ---- words for scenarios ------------------------------------------------------------------------

on() { (verb_exec -n "$@"); } # GUEST COMMAND...

fails() { echo "FAIL $1 $2"; }      # CHECK SUBJECT: host2, or host1>host2 for a direction
unknown() { echo "UNKNOWN $1 $2"; } # CHECK SUBJECT

# Whether a jq expression holds for what a tool in a guest prints as JSON.
tool_says() { # GUEST EXPRESSION COMMAND...
  local guest=$1 expression=$2
  shift 2
  on "$guest" "$@" | jq --exit-status "$expression" > /dev/null
}

# Whether a command in a guest prints a line that matches. (Not by a pipe into grep -q: that ends early,
# and the command's failure to write would count as its failure.)
shows() { # GUEST PATTERN COMMAND...
  local guest=$1 pattern=$2 output
  shift 2
  output=$(on "$guest" "$@" 2> /dev/null) || true
  grep -Eq -- "$pattern" <<< "$output"
}

ping_passes() { # GUEST ADDRESS PAYLOAD_BYTES
  on "$1" busybox ping -q -c 3 -W 2 -s "$3" "$2" > /dev/null
}

# Whether what netem does to a switch port has cost packets. A few are sent that way, for there to be any.
netem_drops() { # PORT HOST ADDRESS
  on "$2" busybox ping -A -q -c 100 -w 5 "$3" > /dev/null || true
  tool_says switch 'any(.[]; .kind == "netem" and .drops > 0)' tc -s -j qdisc show dev "$1"
}

# ---- words for plays: probes and devices --------------------------------------------------------

# A probe is a queue pair of type RC; the kernel's own are of type GSI.
probing() { # HOST
  on "$1" rdma -j resource show qp | jq --exit-status 'any(.type == "RC")' > /dev/null
}

wait_for_probe() { # HOST
  local deadline=$((SECONDS + settle_seconds))
  until probing "$1"; do
    [ $SECONDS -lt $deadline ] || die "no probe is seen on $1 within $settle_seconds s"
  done
}

wait_for_no_probe() { # HOST...
  local host deadline=$((SECONDS + settle_seconds))
  for host in "$@"; do
    while probing "$host"; do
      [ $SECONDS -lt $deadline ] || die "a probe is left on $host after $settle_seconds s"
      sleep 0.5
    done
  done
}

# Fails unless the command succeeds in that time, by the guest's clock.
require_within() { # MILLISECONDS GUEST COMMAND...
  local limit=$1 guest=$2 took
  shift 2
  # shellcheck disable=SC2016  # expanded in the guest
  took=$(on "$guest" bash -c 'began=$(date +%s%3N) && "$@" > /dev/null && echo $(($(date +%s%3N) - began))' \
    measure "$@")
  [ "$took" -le "$limit" ] || die "$* on $guest took $took ms, more than $limit"
}

restore_rdma_device() { # HOST
  on "$1" sh -c 'modprobe rdma_rxe && { rdma link show rxe0/1 > /dev/null 2>&1 || rdma link add rxe0 type rxe netdev eth0; }'
}

# ---- the runner ---------------------------------------------------------------------------------

verb_scenario() {
  local tools_only=no names=() name status failed=0
  while [ $# -gt 0 ]; do
    case $1 in
      --list) list_scenarios && return ;;
      --all) mapfile -t names < <(scenario_names) ;;
      --in-tests-run) mapfile -t names < <(scenario_names yes) ;;
      --tools-only) tools_only=yes ;;
      -*) usage_error "scenario does not know $1" ;;
      *) names+=("$1") ;;
    esac
    shift
  done
  [ ${#names[@]} -gt 0 ] || usage_error "which scenario?"
  [ -e "$lab_dir/up" ] || die "no lab is up in $lab_dir"
  read_settings
  for name in "${names[@]}"; do
    [ -e "$lab_source/scenarios/$name.sh" ] || usage_error "no scenario $name; see: lab scenario --list"
  done
  green_audit=$(mktemp -d "$lab_dir/green.XXXXXX")
  for name in "${names[@]}"; do
    set +e # not in a condition: errexit would then be off in all that it calls
    run_scenario "$name"
    status=$?
    set -e
    if [ $status -ne 0 ] && a_wire_is_dead; then
      boot_anew
      set +e
      run_scenario "$name"
      status=$?
      set -e
    fi
    [ $status -eq 0 ] || failed=$((failed + 1))
  done
  rm -rf "$green_audit"
  [ $failed -eq 0 ] || die "$failed of ${#names[@]} scenarios failed"
}

scenario_names() { # [IN_TESTS_RUN]
  local file
  for file in "$lab_source"/scenarios/*.sh; do
    [ -z "${1:-}" ] || grep -q "^in_tests_run=$1" "$file" || continue
    basename "$file" .sh
  done
}

scenario_title() { sed -n '3s/^# //p' "$lab_source/scenarios/$1.sh"; }

list_scenarios() {
  local name
  for name in $(scenario_names); do
    printf '%-24s %s\n' "$name" "$(scenario_title "$name")"
  done
}

run_scenario() { # NAME
  local name=$1 began=$SECONDS status
  scenario_work=$(mktemp -d "$lab_dir/scenario.XXXXXX")
  # What the last scenario has left is of its end: good for this one, stale for any later one.
  find "$green_audit" -type f -exec mv -t "$scenario_work" {} +
  # In a process of its own, so that its functions and its failure stay there.
  (
    set -e
    # shellcheck source=/dev/null
    . "$lab_source/scenarios/$name.sh"
    if [ "$tools_only" = yes ] && ! declare -F break_it > /dev/null; then
      exit $status_skipped
    fi
    trap 'mend_after_failure' EXIT
    if [ "$tools_only" = yes ]; then
      play_with_tools
    elif declare -F play > /dev/null; then
      preparing=yes breaking=yes
      play
    else
      play_with_audits
    fi
    trap - EXIT
  ) < /dev/null
  status=$?
  case $status in
    0) say "scenario $name: passed in $((SECONDS - began)) s" ;;
    "$status_skipped") say "scenario $name: skipped, it is nothing without our own programs" && status=0 ;;
    *)
      say "scenario $name: FAILED after $((SECONDS - began)) s: $(scenario_title "$name")"
      keep_failure "$name"
      ;;
  esac
  rm -rf "$scenario_work"
  return $status
}

# Now and then QEMU 7.2 leaves a wire for dead: its socket is empty, and nobody tells the sender. The guest's kernel sees that its
# NIC sends nothing for seconds. No fault that a scenario makes looks like it: those are made in the guests, above the wires.
a_wire_is_dead() {
  local guest
  for guest in $(guest_names); do
    # Not by a pipe: grep -q leaves when it has seen one, and who still writes would fail the whole (pipefail).
    if grep -q 'TX timeout on queue' <<< "$(verb_exec -n "$guest" dmesg 2> /dev/null)"; then
      say "a wire of $guest carries nothing any more, which is QEMU's fault: all is booted anew, and the scenario played again"
      return 0
    fi
  done
  return 1
}

# The same lab, with the cluster if there was one.
boot_anew() {
  local clustered=no options=(--hosts "$hosts")
  [ ! -e "$lab_dir/cluster" ] || clustered=yes
  [ "$programs" = "$lab_dir/share" ] || options+=(--bin "$programs")
  [ "$host_init" != systemd ] || options+=(--systemd)
  "$lab_source/lab" --dir "$lab_dir" down
  "$lab_source/lab" --dir "$lab_dir" up "${options[@]}"
  [ $clustered = no ] || "$lab_source/lab" --dir "$lab_dir" cluster up
  mkdir -p "$green_audit"
}

# How far the scenario has come: a repair of what is whole may break it (an address that is there already).
preparing=no breaking=no

# The next scenario shall not inherit this one's fault.
mend_after_failure() {
  [ $breaking = no ] || ! declare -F mend > /dev/null || mend || say "could not mend"
  [ $preparing = no ] || ! declare -F dismantle > /dev/null || dismantle || say "could not dismantle"
}

begin_to_prepare() {
  preparing=yes
  ! declare -F prepare > /dev/null || prepare
}

begin_to_break() {
  breaking=yes
  break_it
}

keep_failure() { # NAME
  local to
  to=$(build_directory)-logs/$1
  rm -rf "$to"
  mkdir -p "$to"
  verb_logs "$to"
  cp -r "$scenario_work"/. "$to/"
  say "logs are in $to"
}

# wait_until broken | wait_until mended
wait_until() {
  local deadline=$((SECONDS + settle_seconds))
  while [ $SECONDS -lt $deadline ]; do
    case $1 in
      broken) ! broken || return 0 ;;
      mended) broken || return 0 ;;
    esac
    sleep 0.5
  done
  say "to the trusted tools it is still not $1 after $settle_seconds s"
  return 1
}

play_with_tools() {
  begin_to_prepare
  ! broken || { say "broken before it began" && return 1; }
  begin_to_break
  wait_until broken
  mend
  wait_until mended
  ! declare -F dismantle > /dev/null || dismantle
}

play_with_audits() {
  begin_to_prepare
  # An audit of what was there before knows nothing of what is prepared.
  ! declare -F prepare > /dev/null || find "$scenario_work" -name 'before.*' -delete
  audit_before
  begin_to_break
  wait_until broken
  audit broken
  require_root_causes broken before
  ! declare -F examine > /dev/null || examine
  mend
  wait_until mended
  audit_after_repair
  ! declare -F dismantle > /dev/null || dismantle
}

# Green before: by the audit after the last scenario's repair, where this one follows it at once.
audit_before() {
  local until=$((SECONDS + settle_seconds))
  [ -e "$scenario_work/before.json" ] || audit before
  until [ "$(verdict before)" = READY ] || [ $SECONDS -ge $until ]; do
    sleep 5
    audit before
  done
  require_verdict before READY
}

is_as_before() { [ "$(verdict mended)" = READY ] && require_no_new_root_causes mended before 2> /dev/null; }

# Counters are judged by what they gained since they were read last, ten seconds ago or more. The first look at a
# device that the repair has made anew has nothing to compare with, and a link that has come back has flapped: both are
# over with the next look.
audit_after_repair() {
  local until=$((SECONDS + settle_seconds)) tries=1
  audit looking --no-probes
  audit mended
  # An audit of hosts that hardly get a processor takes all of that time by itself.
  until is_as_before || { [ $SECONDS -ge $until ] && [ $tries -ge 2 ]; }; do
    sleep 5
    audit mended
    tries=$((tries + 1))
  done
  require_verdict mended READY
  require_no_new_root_causes mended before
  # Nor does the next scenario have what this one had prepared.
  ! declare -F prepare > /dev/null || return 0
  local file
  for file in "$scenario_work"/mended.*; do cp "$file" "$green_audit/before.${file##*.}"; done
}
