# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# An RDMA device is removed while a probe uses it: the agent lets go in time.
#
# The kernel makes `rdma link del` wait for whoever holds the device, and refuses to unload the driver.
in_tests_run=no

let_go_ms=2000

mend() { restore_rdma_device host2; }

play() {
  local audit_process
  audit_before
  audit removed &
  audit_process=$!
  wait_for_probe host2
  ! on host2 rmmod rdma_rxe 2> /dev/null || die "the driver could be unloaded under a probe"
  require_within $let_go_ms host2 rdma link del rxe0
  wait "$audit_process"
  on host2 rmmod rdma_rxe
  mend
  wait_until_connected
  audit_after_repair
}
