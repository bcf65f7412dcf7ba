# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The NIC drops packets of the lossless priority, which PFC is there to prevent.
in_tests_run=no

discard() { on host2 sh -c "echo 0,0,0,$1,0,0,0,0 > /sys/module/testnic/parameters/rx_prio_discards"; }

break_it() { discard 5000; }
expect() { fails loss.counters-moving host2; }
# A counter stays where it is; it has only to stop.
mend() { stopped=yes; }

broken() { [ "${stopped:-no}" = no ] && shows host2 'rx_prio3_discards: 5000' ethtool -S eth0; }
