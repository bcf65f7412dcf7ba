# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The RDMA half of the driver is not loaded: the NIC is there, up and addressed, and no RDMA device.
in_tests_run=yes

break_it() { on host2 sh -c 'rdma link del rxe0 && modprobe -r rdma_rxe'; }
expect() { fails device.rdma-present host2; }
mend() { restore_rdma_device host2; }

broken() { ! shows host2 '^rdma_rxe ' lsmod; }
