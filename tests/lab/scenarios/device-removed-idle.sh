# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# On an idle host the RDMA device and its driver can be removed at once: the agent holds neither.
in_tests_run=no

at_once_ms=1000 # an emulated guest starts a program in a tenth of it

expect() { fails device.rdma-present host2; }
mend() { restore_rdma_device host2; }

play() {
  audit_before
  require_within $at_once_ms host2 rdma link del rxe0
  require_within $at_once_ms host2 rmmod rdma_rxe
  audit removed --no-probes
  require_root_causes removed before
  mend
  wait_until_connected
  audit_after_repair
}
