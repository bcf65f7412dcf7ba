# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The way to host2 is one of several equal paths, chosen by the flow's UDP source port, and one of them loses half of its
# packets: what passes over the others is well, so that no single connection may notice.
in_tests_run=no

# Four flows may all take the same path; sixteen hardly.
prepare() { spread_datagrams 16; }
dismantle() { judge_by_default; }

# Half of all source ports: their lowest bit. Only what has a datagram's opcode (UD SEND ONLY, 0x64), so that the
# connection, which is one flow, is of the good half.
break_it() {
  on switch nft -f - << 'RULES'
table netdev lossy {
  chain to_host2 {
    type filter hook egress device "port2" priority 0;
    udp dport 4791 @th,15,1 1 @th,64,8 0x64 numgen random mod 2 0 counter drop
  }
}
RULES
}
expect() {
  fails probe.flow-loss 'host1>host2'
  fails probe.flow-loss 'host3>host2'
}
mend() { on switch nft delete table netdev lossy; }

broken() { shows switch 'numgen random mod 2' nft list table netdev lossy; }
