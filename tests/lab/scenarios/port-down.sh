# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The port is administratively down.
in_tests_run=yes

break_it() { on host2 ip link set eth0 down; }
expect() { fails port.active host2; }
mend() { on host2 ip link set eth0 up; }

broken() { tool_says host2 '.[0].state == "DOWN"' rdma -j link show rxe0/1; }
