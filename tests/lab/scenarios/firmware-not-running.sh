# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Newer firmware is flashed and waits for a reset.
in_tests_run=no

flash() { on host2 sh -c "echo $1 > /sys/module/testnic/parameters/fw_stored"; }

break_it() { flash 28.42.1000; }
expect() { fails firmware.pending host2; }
mend() { flash ''; }

broken() { shows host2 'fw.version 28\.42\.1000' devlink dev info; }
