# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# PFC is off on the priority that RoCE uses.
in_tests_run=yes

break_it() { on host2 dcb pfc set dev eth0 prio-pfc 3:off; }
expect() { fails pfc.lossless-priority host2; }
mend() { on host2 dcb pfc set dev eth0 prio-pfc 3:on; }

broken() { ! tool_says host2 '.prio_pfc[3]' dcb -j pfc show dev eth0; }
