# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# One NIC runs firmware older than the policy asks for.
in_tests_run=no

set_firmware() { on host2 sh -c "echo $1 > /sys/module/testnic/parameters/fw_running"; }

break_it() { set_firmware 22.31.1014; }
expect() { fails firmware.minimum host2; }
mend() { set_firmware 28.39.1002; }

broken() { shows host2 '^firmware-version: 22\.31\.1014' ethtool -i eth0; }
