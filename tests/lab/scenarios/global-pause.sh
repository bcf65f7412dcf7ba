# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Global pause is on beside PFC: the whole port stops where one priority should.
in_tests_run=no

set_pause() { on host2 sh -c "echo $1 > /sys/module/testnic/parameters/global_pause"; }

break_it() { set_pause 1; }
expect() { fails pause.with-pfc host2; }
mend() { set_pause 0; }

broken() { shows host2 '^RX:[[:space:]]*on' ethtool -a eth0; }
