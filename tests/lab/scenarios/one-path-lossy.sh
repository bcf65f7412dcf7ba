# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# From host1 to host2 there are two equal paths, chosen by the flow's UDP source port, and one of them loses half of its packets:
# what passes over the other is well, so that no single connection may notice.
in_tests_run=no

# Four flows may all take the same path; sixteen hardly.
prepare() { spread_datagrams 16; }
dismantle() { judge_by_default; }

# The path of all source ports with the lowest bit set. Behind IPv4 and UDP the first byte is the opcode, 0x64 a datagram:
# the probe's connection, which is one flow, is of the other path.
break_it() {
  on switch tc qdisc add dev port2 clsact
  on switch tc filter add dev port2 egress protocol ip u32 match ip protocol 17 0xff match ip src 10.77.0.1/32 \
    match ip dport 4791 0xffff match u16 0x0001 0x0001 at 20 match u8 0x64 0xff at 28 action pass random determ drop 2
}
expect() { fails probe.flow-loss 'host1>host2'; }
mend() { on switch tc qdisc del dev port2 clsact; }

broken() { shows switch 'random type determ drop val 2' tc filter show dev port2 egress; }
