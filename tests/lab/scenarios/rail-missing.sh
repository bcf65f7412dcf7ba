# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A host has lost the second of the two rails that the job uses; the device of the first looks well.
in_tests_run=no

prepare() {
  rails_policy two-rails << 'END_YAML'
job:
  interfaces: [rxe0, rxe1]
END_YAML
  local host
  for host in host1 host2 host3; do add_second_rail "$host"; done
}
dismantle() {
  local host
  for host in host1 host2 host3; do remove_second_rail "$host"; done
  judge_by_default
}

break_it() { on host2 rdma link del rxe1; }
expect() { fails device.rdma-present host2; }
mend() { on host2 rdma link add rxe1 type rxe netdev rail2; }

broken() { ! shows host2 '^link rxe1/1 ' rdma link show; }
