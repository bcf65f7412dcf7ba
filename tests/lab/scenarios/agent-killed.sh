# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# An agent is killed while it takes part in a probe: its pairs are unknown, and nobody blames the fabric.
in_tests_run=yes

mend() { on host2 start-agent start; }

play() {
  local audit_process
  audit_before
  audit killed &
  audit_process=$!
  wait_for_probe host2
  on host2 start-agent kill
  wait "$audit_process"
  require_no_failure killed
  require_reason killed probe.write 'agent lost'
  wait_for_no_probe host1 host2 host3
  mend
  wait_until_connected
  audit_after_repair
}
