# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# CNPs of one host lead to the default priority: they wait behind what they are to slow down.
in_tests_run=no

break_it() {
  on host2 dcb app del dev eth0 dscp-prio 48:6
  on host2 dcb app add dev eth0 dscp-prio 48:0
}
expect() { fails qos.dscp-priority host2; }
mend() {
  on host2 dcb app del dev eth0 dscp-prio 48:0
  on host2 dcb app add dev eth0 dscp-prio 48:6
}

broken() { tool_says host2 '.dscp_prio | index([[48, 0]])' dcb -j app show dev eth0; }
