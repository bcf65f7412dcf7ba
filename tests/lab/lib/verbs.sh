# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The verbs of `lab`, one function each.

verb_up() {
  local started=$SECONDS guest
  hosts=3 programs="" host_init=""
  while [ $# -gt 0 ]; do
    case $1 in
      --hosts | --bin | --dir) [ $# -ge 2 ] || usage_error "$1 needs a value" ;;&
      --hosts) hosts=$2 && shift 2 ;;
      --bin)
        [ -d "$2" ] || die "--bin $2: no such folder; build first, or name a build folder"
        programs=$(realpath "$2") && shift 2
        ;;
      --dir)
        [ -n "$2" ] || usage_error "--dir needs a value"
        lab_dir=$(realpath -m "$2") && shift 2
        ;;
      --systemd) host_init=systemd && shift ;;
      *) usage_error "up does not know $1" ;;
    esac
  done
  [[ $hosts =~ ^[1-9][0-9]?$ ]] || usage_error "--hosts takes 1 to 99"

  lock_state
  if [ -e "$lab_dir/up" ] && all_live; then
    die "a lab is up in $lab_dir; 'lab down' ends it"
  fi
  end_process "$lab_dir/cluster/controller.pid"
  end_guests # what an earlier lab may have left, having died half-way
  clear_state
  create_state
  trap 'end_guests; say "up failed; what the guests said is in $lab_dir/guests"' EXIT

  prepare_image
  cp "$shell_program" "$lab_dir/lab_shell"
  accelerator=$(find_accelerator)
  programs=${programs:-$lab_dir/share} # nothing to export: something must be mounted there all the same
  declare -p hosts accelerator programs host_init | sed 's/^declare -- //' > "$lab_dir/settings"
  say "booting a switch and $hosts hosts ($accelerator)"
  start_guest switch switch 0
  wait_for_wires
  for guest in $(seq "$hosts"); do
    start_guest "host$guest" host "$guest"
  done
  for guest in switch $(seq -f 'host%g' "$hosts"); do
    wait_until_ready "$guest"
  done
  touch "$lab_dir/up"
  trap - EXIT
  say "up after $((SECONDS - started)) s: $(guest_names | xargs)"
}

# Sets hosts, accelerator, programs and host_init as `lab up` left them.
read_settings() {
  # shellcheck source=/dev/null
  . "$lab_dir/settings"
}

verb_down() {
  lab_is_ours || return 0
  lock_state 30
  end_process "$lab_dir/cluster/controller.pid"
  end_guests
  clear_state
  rm -f "$lab_dir.lock"
}

verb_status() {
  local guest state result=0
  [ -e "$lab_dir/up" ] || die "no lab is up in $lab_dir"
  for guest in $(guest_names); do
    if guest_lives "$guest"; then
      state=alive
    else
      state=dead result=1
    fi
    echo "$guest $state, pid $(cut -d ' ' -f 1 "$lab_dir/guests/$guest/pid")"
  done
  cat "$lab_dir/settings"
  return $result
}

verb_exec() {
  local input=/dev/stdin guest
  if [ "${1:-}" = -n ]; then
    input=/dev/null
    shift
  fi
  [ $# -ge 2 ] || usage_error "exec needs a guest and a command"
  guest=$1
  shift
  known_guest "$guest"
  exec "$lab_dir/lab_shell" run "$(< "$lab_dir/guests/$guest/port")" "$lab_dir/token" "$@" < $input
}

known_guest() {
  [ -s "$lab_dir/guests/$1/port" ] || die "no guest $1 in $lab_dir; there are: $(guest_names | xargs)"
}

verb_put() {
  [ $# -eq 3 ] || usage_error "put needs a guest, a file and a path in the guest"
  # shellcheck disable=SC2016  # expanded in the guest
  verb_exec "$1" sh -c 'cat > "$1" && chmod "$2" "$1"' put "$3" "$(stat -c %a "$2")" < "$2"
}

verb_get() {
  [ $# -eq 3 ] || usage_error "get needs a guest, a path in the guest and a file"
  verb_exec -n "$1" cat "$2" > "$3"
}

verb_share() { echo "$lab_dir/share"; }

verb_monitor() {
  [ $# -ge 2 ] || usage_error "monitor needs a guest and a command"
  known_guest "$1"
  qemu_monitor "$@"
}

# A guest that is in trouble may not answer: what it does not say in time is missing from the logs.
log_of_command() { # GUEST COMMAND...
  timeout 20 "$lab_program" --dir "$lab_dir" exec -n "$@" || true
}

verb_logs() {
  local to=${1:-} guest
  [ ! -e "$lab_dir/settings" ] || read_settings
  [ -n "$to" ] || usage_error "logs needs a directory"
  mkdir -p "$to"
  cp "$lab_dir/cluster/controller.log" "$to/" 2> /dev/null || true
  for guest in $(guest_names); do
    mkdir -p "$to/$guest"
    cp "$lab_dir/guests/$guest"/{console,qemu.log} "$to/$guest/" 2> /dev/null || true
    find "$lab_dir/share/$guest" -maxdepth 1 -name '*.log' -exec cp {} "$to/$guest/" \;
    if guest_lives "$guest"; then
      log_of_command "$guest" dmesg > "$to/$guest/dmesg"
      if [ -n "$host_init" ] && [ "$guest" != switch ]; then
        log_of_command "$guest" journalctl --boot --no-pager > "$to/$guest/journal"
      fi
    fi
  done
}
