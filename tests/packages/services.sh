# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the guest's test asks of systemd, of processes and of the programs.
# shellcheck disable=SC2154  # host and work are set by who reads this

patience_seconds=90 # the guest is emulated, beside a compiler

eventually() { # COMMAND...
  local deadline=$((SECONDS + patience_seconds))
  until "$@" > "$work/last" 2>&1; do
    [ $SECONDS -lt $deadline ] || { cat "$work/last" && return 1; }
    sleep 0.5
  done
}

# ---- systemd --------------------------------------------------------------------------------------

# The values in the order of the names: one question would answer in systemd's own.
property() { # SERVICE NAME,NAME...
  local name
  for name in ${2//,/ }; do
    systemctl show --value --property "$name" "$1"
  done | xargs
}
equal_property() { equal "$(property "$1" "$2")" "$3"; } # SERVICE NAME VALUE
pid() { # SERVICE
  local found
  found=$(property "$1" MainPID)
  [ "$found" -gt 0 ] || { echo "$1 does not run" >&2 && return 1; }
  echo "$found"
}
now() { date +%s.%N; }
journal() { journalctl --quiet --no-pager --output cat --unit "$1" --since "@$2"; } # SERVICE SINCE

active_again() { # SERVICE OLD_PID
  [ "$(property "$1" ActiveState)" = active ] && [ "$(pid "$1")" != "$2" ]
}

# Sets something of both units, in memory only.
set_in_units() { # NAME SETTING...
  local service folder
  for service in roceready-agent roceready-controller; do
    folder=/run/systemd/system/$service.service.d
    mkdir -p "$folder"
    printf '%s\n' '[Service]' "${@:2}" > "$folder/$1.conf"
  done
  systemctl daemon-reload
}

# An emulated guest beside a compiler may need minutes for what takes a second; how long is not what is tested.
be_patient() { set_in_units patience TimeoutStartSec=10min TimeoutStopSec=2min; }

set_watchdog() { # TIME
  set_in_units watchdog "WatchdogSec=$1"
  systemctl restart roceready-controller roceready-agent
}

# ---- processes ------------------------------------------------------------------------------------

# COUNT lines of /proc/PID/status have such a key, and all have VALUE.
process_says() { # SERVICE KEYS VALUE COUNT
  local lines main
  main=$(pid "$1") || return 1
  lines=$(grep -E "^$2:" "/proc/$main/status")
  equal "$(wc -l <<< "$lines") $(cut -f 2 <<< "$lines" | sort -u)" "$4 $3"
}

runs_as() { # SERVICE
  local uid gid status main
  main=$(pid "$1") || return 1
  uid=$(id -u "$1") gid=$(id -g "$1")
  status=$(grep -E '^(Uid|Gid|Groups):' "/proc/$main/status" | tr '\t' ' ' | sed 's/ *$//')
  equal "$status" "Uid: $uid $uid $uid $uid
Gid: $gid $gid $gid $gid
Groups: $gid"
}

# As the service sees the file system, mounts and user.
writes_nowhere_else() { # SERVICE
  local writable main
  main=$(pid "$1") || return 1
  # shellcheck disable=SC2016  # expanded there
  writable=$(nsenter --target "$main" --mount setpriv --reuid "$1" --regid "$1" --clear-groups sh -c '
    for folder in /etc/roceready /usr/bin /var/lib /home /sys/kernel /proc/sys "$1" /tmp; do
      [ ! -w "$folder" ] || echo "$folder"
    done' sh "/var/lib/roceready/${1#*-}")
  equal "$(xargs <<< "$writable")" "/var/lib/roceready/${1#*-} /tmp"
}

listens_nowhere() { # SERVICE
  local main
  main=$(pid "$1") || return 1
  says "pid=$main" ss --no-header --tcp --numeric --processes &&
    equal "$(ss --no-header --listening --tcp --udp --numeric --processes | grep -w "pid=$main")" ""
}

# PATTERN is not the name of anything in its /dev.
has_no_device() { # SERVICE PATTERN
  local main
  main=$(pid "$1") || return 1
  test -e "/proc/$main/root/dev/null" && says_nothing find "/proc/$main/root/dev/" -name "$2"
}

as_nobody() { setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }

# ---- the programs ---------------------------------------------------------------------------------

connected() {
  roceready hosts "$host" --output json | tee "$work/hosts" |
    jq --exit-status '[.. | .state? // empty] == ["HOST_STATE_CONNECTED"]' > /dev/null ||
    { cat "$work/hosts" && return 1; }
}

facts_hold() { # EXPRESSION
  roceready facts "$host" > "$work/facts" || return 1
  jq "$1" "$work/facts" > "$work/held"
  jq --exit-status "$1" "$work/facts" > /dev/null && return
  echo "$1 gives:" && cat "$work/held"
  jq -c '.. | objects | select(.outcome? and .outcome != "OUTCOME_OK")' "$work/facts" | sort | uniq -c
  return 1
}

# ---- what is done to a service ------------------------------------------------------------------

comes_back_after() { # SIGNAL SERVICE
  local old
  old=$(pid "$2") || return 1
  kill "-$1" "$old"
  eventually active_again "$2" "$old" && eventually connected &&
    equal "$(property "$2" NRestarts)" 1
}

# A line of the shipped policy is changed and put back.
reload_says() { # SERVICE PATTERN SED_EXPRESSION
  local since policy=/etc/roceready/policies/lossless-dscp.yaml result=0 old
  old=$(pid "$1") || return 1
  since=$(now)
  cp $policy "$work/policy"
  sed -i "$3" $policy
  systemctl reload "$1"
  eventually says "$2" journal "$1" "$since" || result=1
  cat "$work/policy" > $policy
  equal "$(property "$1" ActiveState) $(pid "$1")" "active $old" && return $result
}

keeps_pid() { # SERVICE COMMAND...
  local old
  old=$(pid "$1") || return 1
  "${@:2}" && equal "$(property "$1" ActiveState) $(pid "$1")" "active $old"
}

changes_pid() { # SERVICE COMMAND...
  local old
  old=$(pid "$1") || return 1
  "${@:2}" && eventually active_again "$1" "$old"
}

# By the monotonic clock of systemd: the watchdog was fed later than twice its time after the start.
fed_for_two_watchdogs() {
  local service times
  for service in roceready-agent roceready-controller; do
    read -r -a times <<< "$(property "$service" NRestarts,ExecMainStartTimestampMonotonic,WatchdogTimestampMonotonic)"
    equal "${times[0]}" 0 && [ $((times[2] - times[1])) -gt 20000000 ] || { echo "$service: ${times[*]}" && return 1; }
  done
}

watchdog_bites() { # SERVICE
  local old since
  old=$(pid "$1") || return 1
  since=$(now)
  kill -STOP "$old"
  eventually active_again "$1" "$old" && says 'Watchdog timeout' journal "$1" "$since"
}

stops_cleanly() { # SERVICE
  pid "$1" > /dev/null || return 1
  systemctl stop "$1"
  # 1 is CLD_EXITED: by itself, not by a signal.
  equal "$(property "$1" ActiveState,Result,ExecMainCode,ExecMainStatus)" "inactive success 1 0"
}
