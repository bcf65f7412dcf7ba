# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Peers differ in MTU, and the policy names none: WRITEs may pass where READs do not.
in_tests_run=no

prepare() { judge_by any-mtu mtu_bytes rdma_mtu_bytes < /dev/null; }
dismantle() { judge_by_default; }

break_it() { on host2 ip link set eth0 mtu 1500; }
expect() {
  fails mtu.peer-mismatch 'host1>host2'
  fails mtu.peer-mismatch 'host2>host3'
}
mend() { on host2 ip link set eth0 mtu 9000; }

broken() { tool_says host2 '.[0].mtu == 1500' ip -j link show eth0; }
