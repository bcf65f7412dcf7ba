# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The address of a rail has a lease that ends.
in_tests_run=no

break_it() { on host2 ip addr change 10.77.0.2/24 dev eth0 valid_lft 7200 preferred_lft 7200; }
expect() { fails address.permanent host2; }
mend() { on host2 ip addr change 10.77.0.2/24 dev eth0 valid_lft forever preferred_lft forever; }

broken() { tool_says host2 'any(.[0].addr_info[]; .local == "10.77.0.2" and .dynamic)' ip -j addr show dev eth0; }
