# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The lossless priority shares the NIC's receive buffer with all others.
in_tests_run=no

break_it() { on host2 dcb buffer set dev eth0 prio-buffer 3:0; }
expect() { fails buffer.lossless host2; }
mend() { on host2 dcb buffer set dev eth0 prio-buffer 3:1; }

broken() { tool_says host2 '.prio_buffer[3] == 0' dcb -j buffer show dev eth0; }
