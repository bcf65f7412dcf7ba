# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The entry DSCP 26 -> priority 3 is missing from the APP table: RoCE travels in the default priority.
in_tests_run=yes

break_it() { on host2 dcb app del dev eth0 dscp-prio 26:3; }
expect() { fails qos.dscp-priority host2; }
mend() { on host2 dcb app add dev eth0 dscp-prio 26:3; }

broken() { ! tool_says host2 '.dscp_prio | index([[26, 3]])' dcb -j app show dev eth0; }
