# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The agent starts before there is an RDMA device: nothing to look at is nothing that is well.
in_tests_run=no

mend() {
  restore_rdma_device host2
  on host2 start-agent start 2> /dev/null || true
}

play() {
  audit_before
  on host2 start-agent stop
  on host2 rdma link del rxe0
  on host2 start-agent start
  wait_until_connected
  audit broken
  require_verdict broken NOT_READY
  expect() { fails device.rdma-present host2; }
  require_root_causes broken before
  # It comes while the agent runs, which has never seen one.
  restore_rdma_device host2
  audit_after_repair
}
