# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The agent's privileged program in hosts, which hears LLDP and sees RoCE packets for it. The lab's hosts begin without.

# As systemd starts it from its socket unit. A restart of the agent makes it ask at once.
privileged_socket=/run/roceready-agent-privileged.socket

# A restart of the agent makes it ask at once.
start_privileged_program() { # HOST...
  local host
  for host in "$@"; do
    # shellcheck disable=SC2016 # expanded in the guest
    on "$host" sh -c 'mkdir -p /run/privileged && install -m 755 "$(command -v roceready-agent-privileged)" /run/privileged/
      setsid sh -c "echo \$\$ > /run/privileged/pid; exec \"\$@\"" pid \
        socket-unit "$0" roceready-agent /run/privileged/roceready-agent-privileged \
        > "/run/lab/$(cat /proc/sys/kernel/hostname)/privileged.log" 2>&1 < /dev/null &
      until [ -S "$0" ]; do sleep 0.1; done' $privileged_socket
    on "$host" start-agent stop
    on "$host" start-agent start
  done
  wait_until_connected
}

stop_privileged_program() { # HOST...
  local host
  for host in "$@"; do
    # shellcheck disable=SC2016 # expanded in the guest
    on "$host" sh -c '[ ! -s /run/privileged/pid ] || kill "$(cat /run/privileged/pid)"
      rm -f /run/privileged/pid "$0"' $privileged_socket || true
    on "$host" start-agent stop
    on "$host" start-agent start
  done
  wait_until_connected
}
