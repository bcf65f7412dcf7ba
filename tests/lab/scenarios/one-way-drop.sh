# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# RoCE packets from host1 to host2 vanish in the switch; the other way they pass.
#
# Requests and replies both go to UDP port 4791, so nothing works in either direction: only the counters
# of both ends tell which way is cut.
in_tests_run=yes

break_it() {
  on switch tc qdisc add dev port1 ingress
  on switch tc filter add dev port1 ingress protocol ip flower ip_proto udp dst_port 4791 \
    dst_ip 10.77.0.2 action drop
}
expect() { fails probe.write 'host1>host2'; }
mend() { on switch tc qdisc del dev port1 ingress; }

broken() {
  on host1 bash -c 'echo > /dev/udp/10.77.0.2/4791'
  shows switch 'dropped [1-9]' tc -s filter show dev port1 ingress
}
