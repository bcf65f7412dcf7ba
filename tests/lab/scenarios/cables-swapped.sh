# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Two cables of a host are swapped: each leaf has the rail of the other. Everything is up; what the leaves say by LLDP tells.
in_tests_run=no

cabled="host1 host2 host3"

prepare() {
  rails_policy two-rails < /dev/null
  local host
  for host in $cabled; do add_second_rail_at_leaf "$host"; done
  # shellcheck disable=SC2086 # a list
  start_privileged_program $cabled
  on host2 sh -c 'mkdir -p /run/lldpd && lldpd -r -I eth0 -O /dev/null'
  for host in $cabled; do plug "$host" 1 2; done
}
dismantle() {
  local host
  # shellcheck disable=SC2016 # expanded in the guest
  on host2 sh -c '[ ! -s /run/lldpd.pid ] || kill "$(cat /run/lldpd.pid)"' || true
  # shellcheck disable=SC2086 # a list
  stop_privileged_program $cabled
  for host in $cabled; do remove_second_rail "$host"; done
  judge_by_default
}

break_it() { plug host2 2 1; }
expect() { fails lldp.rail-leaf "leaf1 (52:54:00:aa:00:01)"; }
mend() { plug host2 1 2; }

# Which leaf a host's first and second cable end at, as the leaves say it; the one before says goodbye.
plug() { # HOST LEAF LEAF
  local number=${1#host}
  say_on switch "port$number" "$(frame $((3 - $2)) "$number" 0000)"
  say_on "$1" leaf2 "$(frame $((3 - $3)) "$number" 0000)"
  say_on switch "port$number" "$(frame "$2" "$number" ffff)"
  say_on "$1" leaf2 "$(frame "$3" "$number" ffff)"
  wait_until_heard "$1" eth0 "leaf$2"
  wait_until_heard "$1" rail2 "leaf$3"
}

# Chassis (MAC), port (local name etpN), time to live, system name leafN, capabilities (a bridge), end.
frame() { # LEAF PORT TTL
  printf '0180c200000e525400aa000%d88cc020704525400aa000%d0405076574703%d0602%s0a056c6561663%d0e04000400040000' \
    "$1" "$1" "$2" "$3" "$1"
}

# A bridge passes no LLDP on: what is sent to the port's device leaves by it. By a file: a pipe may cut a frame in two.
say_on() { # GUEST DEVICE FRAME
  # shellcheck disable=SC2059 # the format is the frame
  printf "$(sed 's/../\\x&/g' <<< "$3")" |
    verb_exec "$1" sh -c "cat > /tmp/frame && socat -u OPEN:/tmp/frame INTERFACE:$2"
}

wait_until_heard() { # HOST DEVICE LEAF
  local deadline=$((SECONDS + 60))
  until client facts "$1" 2> /dev/null | jq --exit-status --arg device "$2" --arg leaf "$3" \
    '.facts.net_devices[] | select(.name == $device) | [.lldp.neighbours[]?.system_name] == [$leaf]' > /dev/null; do
    [ $SECONDS -lt $deadline ] || die "$1 does not hear $3 on $2"
    sleep 0.5
  done
}

# lldpd listens beside us, receive only.
broken() { tool_says host2 '[.. | .chassis? // empty | keys[]] == ["leaf2"]' lldpcli -f json show neighbors ports eth0; }
