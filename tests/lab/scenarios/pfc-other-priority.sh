# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# PFC is on, but on another priority than the one RoCE uses.
in_tests_run=yes

break_it() { on host2 dcb pfc set dev eth0 prio-pfc 3:off 4:on; }
expect() { fails pfc.lossless-priority host2; }
mend() { on host2 dcb pfc set dev eth0 prio-pfc 3:on 4:off; }

broken() { tool_says host2 '.prio_pfc[4] and (.prio_pfc[3] | not)' dcb -j pfc show dev eth0; }
