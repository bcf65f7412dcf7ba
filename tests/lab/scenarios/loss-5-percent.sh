# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The switch loses 5 % of what it sends to host2: transfers crawl or are given up.
in_tests_run=no

break_it() { on switch tc qdisc replace dev port2 root netem loss 5%; }
# Both of host2's peers lose what they send to it, and the third pair loses nothing.
expect() { fails blame.loss host2; }
mend() { on switch tc qdisc del dev port2 root; }

broken() { netem_drops port2 host1 10.77.0.2; }
