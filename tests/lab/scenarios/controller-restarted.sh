# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The controller is restarted during an audit: the audit is lost and says so, and no probe stays behind.
in_tests_run=yes

mend() { process_lives "$lab_dir/cluster/controller.pid" || start_controller; }

play() {
  local audit_process
  audit_before
  audit lost &
  audit_process=$!
  wait_for_probe host2
  kill_controller
  start_controller
  wait "$audit_process"
  require_status lost 3
  require_text lost 'lost: controller restarted'
  wait_for_no_probe host1 host2 host3
  wait_until_connected
  audit_after_repair
}
