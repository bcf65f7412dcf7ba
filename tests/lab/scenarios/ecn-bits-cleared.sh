# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A switch port rewrites the whole ToS byte: the DSCP is right, but nothing can be marked for congestion any more.
in_tests_run=no

prepare() { start_privileged_program host1 host2 host3; }
dismantle() { stop_privileged_program host1 host2 host3; }

break_it() {
  on switch tc qdisc add dev port1 ingress
  on switch tc filter add dev port1 ingress protocol ip u32 match ip protocol 17 0xff \
    action pedit ex munge ip tos set 0x68 pipe csum ip
}
expect() {
  fails probe.ecn-bits 'host1>host2'
  fails probe.ecn-bits 'host1>host3'
}
mend() { on switch tc qdisc del dev port1 ingress; }

broken() { shows switch 'pedit action' tc filter show dev port1 ingress; }
