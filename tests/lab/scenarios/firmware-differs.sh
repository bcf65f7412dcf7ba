# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# One NIC runs other firmware than its peers, new enough for the policy.
in_tests_run=no

set_firmware() { on host2 sh -c "echo $1 > /sys/module/testnic/parameters/fw_running"; }

break_it() { set_firmware 28.42.1000; }
expect() { fails firmware.odd-one-out host2; }
mend() { set_firmware 28.39.1002; }

broken() { shows host2 '^firmware-version: 28\.42\.1000' ethtool -i eth0; }
