# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# An MTU of 4140 looks like room for 4096, and is not with the headers: the RDMA MTU is 2048.
in_tests_run=no

prepare() { judge_by rdma-mtu mtu_bytes < /dev/null; }
dismantle() { judge_by_default; }

break_it() { on host2 ip link set eth0 mtu 4140; }
expect() { fails mtu.rdma-active host2; }
mend() { on host2 ip link set eth0 mtu 9000; }

broken() { shows host2 'active_mtu:[[:space:]]*2048' ibv_devinfo -d rxe0; }
