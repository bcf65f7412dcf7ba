# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# No DSCP leads anywhere on one host, as where the port trusts PCP: RoCE and CNPs travel in priority 0.
in_tests_run=no

break_it() { on host2 dcb app flush dev eth0; }
expect() { fails qos.dscp-priority host2; }
mend() { on host2 dcb app add dev eth0 dscp-prio 26:3 48:6; }

broken() { tool_says host2 '(.dscp_prio // []) == []' dcb -j app show dev eth0; }
