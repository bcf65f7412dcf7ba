# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# One host is left at the MTU it was born with; its RDMA MTU follows (1024).
in_tests_run=yes

break_it() { on host2 ip link set eth0 mtu 1500; }
expect() { fails mtu.netdev host2; }
mend() { on host2 ip link set eth0 mtu 9000; }

broken() { tool_says host2 '.[0].mtu == 1500' ip -j link show eth0; }
