# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The agent's privileged program in hosts, which hears LLDP and sees RoCE packets for it. The lab's hosts begin without.

# As systemd starts it from its socket unit. A restart of the agent makes it ask at once.
start_privileged_program() { # HOST...
  local host
  for host in "$@"; do
    # shellcheck disable=SC2016 # expanded in the guest
    on "$host" sh -c 'mkdir -p /run/privileged && install -m 755 "$(command -v roceready-agent-privileged)" /run/privileged/
      setsid systemd-socket-activate --seqpacket -l /run/roceready-agent-privileged.socket \
        /run/privileged/roceready-agent-privileged > "/run/lab/$(cat /proc/sys/kernel/hostname)/privileged.log" 2>&1 < /dev/null &
      until [ -S /run/roceready-agent-privileged.socket ]; do sleep 0.1; done
      chgrp roceready-agent /run/roceready-agent-privileged.socket
      chmod 660 /run/roceready-agent-privileged.socket'
    on "$host" start-agent stop
    on "$host" start-agent start
  done
  wait_until_connected
}

stop_privileged_program() { # HOST...
  local host
  for host in "$@"; do
    # shellcheck disable=SC2016 # expanded in the guest
    on "$host" sh -c 'for p in /proc/[0-9]*; do
        case $(readlink $p/exe) in
          */systemd-socket-activate | /run/privileged/*) kill "${p##*/}" ;;
        esac
      done
      rm -f /run/roceready-agent-privileged.socket' || true
    on "$host" start-agent stop
    on "$host" start-agent start
  done
  wait_until_connected
}
