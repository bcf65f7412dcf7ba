# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The RDMA device of one host has another name than on its peers.
in_tests_run=no

break_it() { on host2 rdma dev set rxe0 name mlx5_0; }
expect() { fails name.odd-one-out host2; }
# It is advice: the fabric carries RDMA all the same.
examine() { require_json broken '.verdict.readiness != "READINESS_NOT_READY"'; }
mend() { on host2 rdma dev set mlx5_0 name rxe0; }

broken() { shows host2 ' mlx5_0:' rdma dev; }
