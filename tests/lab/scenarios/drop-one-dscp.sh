# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A switch port drops one DSCP alone, as the rule that a PFC watchdog left behind: other traffic passes.
in_tests_run=no

break_it() {
  on switch tc qdisc add dev port1 ingress
  # The lower two bits are ECN.
  on switch tc filter add dev port1 ingress protocol ip flower ip_tos 0x68/0xfc dst_ip 10.77.0.2 action drop
}
expect() { fails probe.write 'host1>host2'; }
mend() { on switch tc qdisc del dev port1 ingress; }

broken() {
  ping_passes host1 10.77.0.2 56 &&
    shows switch 'ip_tos (104|0x68)' tc filter show dev port1 ingress
}
