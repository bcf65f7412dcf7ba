# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The switch port to host2 is congested and marks: seen as marks, not as loss.
in_tests_run=no

prepare() { start_privileged_program host1 host2 host3; }
dismantle() { stop_privileged_program host1 host2 host3; }

# What can be marked is marked where netem would have dropped it; RoCE alone can.
break_it() {
  on switch tc qdisc replace dev port2 root handle 1: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
  on switch tc qdisc add dev port2 parent 1:2 netem loss 30% ecn
  on switch tc filter add dev port2 parent 1: protocol ip flower ip_proto udp dst_port 4791 classid 1:2
}
expect() {
  fails probe.congestion-marks 'host1>host2'
  fails probe.congestion-marks 'host3>host2'
}
mend() { on switch tc qdisc del dev port2 root; }

broken() { shows switch 'netem.* loss 30%.* ecn' tc qdisc show dev port2; }
