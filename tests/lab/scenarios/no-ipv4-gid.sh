# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The NIC has no IPv4 address, so the RDMA device has no RoCE v2 GID of that family.
in_tests_run=no

break_it() { on host2 ip addr del 10.77.0.2/24 dev eth0; }
expect() { fails gid.rocev2-ipv4 host2; }
mend() { on host2 ip addr add 10.77.0.2/24 dev eth0; }

broken() { ! shows host2 '::ffff:10\.77\.0\.2,' ibv_devinfo -v -d rxe0; }
