# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# ARP from host2 is lost in the switch: nobody learns where it is, and nothing connects.
in_tests_run=no

# What was learnt before would hide it.
forget_neighbours() {
  local host
  for host in host1 host2 host3; do on "$host" ip neigh flush dev eth0 nud all; done
}
break_it() {
  on switch tc qdisc add dev port2 ingress
  on switch tc filter add dev port2 ingress protocol arp flower action drop
  forget_neighbours
}
# That two cannot be connected is told once, the lesser name first. host1 has asked (see `broken`) and knows why.
expect() {
  fails neighbour.answered 'host1>host2'
  fails probe.write 'host2>host3'
}
mend() {
  on switch tc qdisc del dev port2 ingress
  forget_neighbours
  ping_passes host1 10.77.0.2 56
  ping_passes host3 10.77.0.2 56
}

broken() { ! ping_passes host1 10.77.0.2 56; }
