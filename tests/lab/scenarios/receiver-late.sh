# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A program on host2 posts fewer receives than are sent to it: its sender is told to wait, again and again.
in_tests_run=no

# perftest between the two, with room for one message; it is over before the audit begins.
send_to_late_receiver() {
  local common=(ib_send_bw -d rxe0 -x 1 -m 4096 -u 18 -F -s 64 -n 2000)
  on host2 timeout 60 "${common[@]}" -r 1 > /dev/null 2>&1 &
  local server=$!
  on host2 sh -c 'until ss -ltn | grep -q ":18515 "; do sleep 0.1; done'
  on host1 timeout 60 "${common[@]}" -t 128 10.77.0.2 > /dev/null 2>&1 || true
  wait "$server" || true
}

play() {
  audit_before
  audit looking --no-probes
  send_to_late_receiver
  audit broken --no-probes
  require_root_causes broken before
  audit_after_repair
}

expect() { fails receiver.ready host2; }
