# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Where a lab keeps its state, and the processes it has started.
#
#   DIR/.roceready-lab   says that this directory is ours to clear
#   DIR/up               there once `lab up` has succeeded
#   DIR/settings         what `lab up` was asked for and found
#   DIR/token            what a client of a guest must know; private
#   DIR/lab_shell        the client
#   DIR/guests/NAME/     pid, port (of lab exec), monitor, console, qemu.log
#   DIR/wires/NAME       the socket between a host's NIC and the switch
#   DIR/share/           /run/lab in every guest; share/NAME/ is that guest's own

build_directory() {
  local repository
  repository=$(git -C "$lab_source" rev-parse --show-toplevel 2> /dev/null) ||
    repository=$(realpath "$lab_source/../..")
  echo "$repository/build/lab"
}

lab_is_ours() { [ -e "$lab_dir/.roceready-lab" ]; }

guest_names() {
  local guest
  for guest in "$lab_dir"/guests/*/; do
    [ -d "$guest" ] && basename "$guest"
  done
  return 0
}

# Two commands that change one lab would end each other's work: they hold this lock.
lock_state() { # [SECONDS_TO_WAIT]
  mkdir -p "$(dirname "$lab_dir")"
  while :; do
    exec 8> "$lab_dir.lock"
    flock --wait "${1:-0}" 8 || die "another lab command is at work in $lab_dir"
    # Whoever held it before us may have removed the file: then we hold a lock nobody will meet.
    [ "$(stat -L -c %i /dev/fd/8)" != "$(stat -c %i "$lab_dir.lock" 2> /dev/null)" ] || return 0
  done
}

create_state() {
  if [ -d "$lab_dir" ] && ! lab_is_ours && [ -n "$(ls -A "$lab_dir")" ]; then
    die "$lab_dir holds something else; give an empty directory"
  fi
  # Guests run whatever comes with the token, as root; nobody but us may read it.
  (umask 077 && mkdir -p "$lab_dir")
  touch "$lab_dir/.roceready-lab"
  mkdir -p "$lab_dir"/{guests,wires,share}
  (umask 077 && head -c 16 /dev/urandom | od -An -v -t x1 | tr -d ' \n' > "$lab_dir/token")
  cp "$lab_dir/token" "$lab_dir/share/token"
}

clear_state() {
  lab_is_ours || return 0
  rm -rf "${lab_dir:?}"/{guests,wires,share,scenario.*,green.*,cluster,up,token,settings,lab_shell,.roceready-lab}
  rmdir "$lab_dir" 2> /dev/null || true
}

# ---- processes --------------------------------------------------------------------------------
# A process is its pid and its start time: pids come round again.

process_start_time() { # PID
  local stat
  stat=$(cat "/proc/$1/stat" 2> /dev/null) || return 1
  stat=${stat##*) } # before it the command's name, which may hold spaces and brackets
  case $stat in Z* | X*) return 1 ;; esac
  echo "$stat" | cut -d ' ' -f 20
}

remember_process() { # FILE PID
  echo "$2 $(process_start_time "$2")" > "$1"
}

process_lives() { # FILE
  local pid started
  [ -s "$1" ] && read -r pid started < "$1" && [ "$(process_start_time "$pid")" = "$started" ]
}

# Ours are leaders of their session, so a negative pid takes what they have started too.
end_process() { # FILE
  local pid _
  process_lives "$1" || return 0
  read -r pid _ < "$1"
  kill "$pid" 2> /dev/null || true
  for _ in $(seq 50); do
    process_lives "$1" || return 0
    sleep 0.1
  done
  kill -KILL -- "-$pid" 2> /dev/null || true
  sleep 0.2
  ! process_lives "$1" || die "process $pid does not end"
}
