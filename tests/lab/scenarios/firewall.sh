# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A packet filter of one host drops UDP port 4791, and lets ping and all else through.
in_tests_run=no

break_it() {
  on host2 nft 'add table inet lab; add chain inet lab input { type filter hook input priority 0; policy accept; };
    add rule inet lab input udp dport 4791 drop'
}
# The agent has not the capability to read the filter and says so: what names the fault is the probes.
expect() {
  unknown firewall.roce-port host2
  fails blame.no-traffic host2
}
# Without its module again: the agent cannot read what rules there are, and says so as long as there may be some.
mend() { on host2 sh -c 'nft delete table inet lab && modprobe -r nf_tables'; }

# To list the rules loads the module.
broken() { shows host2 '^nf_tables ' lsmod && shows host2 'udp dport 4791 drop' nft list ruleset; }
