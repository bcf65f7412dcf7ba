# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Between two of three hosts a packet takes 20 ms, as through a full queue: nothing is lost, and small messages wait.
in_tests_run=no

break_it() {
  on host1 sh -c 'tc qdisc replace dev eth0 root handle 1: prio bands 3 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 &&
    tc qdisc add dev eth0 parent 1:2 netem delay 20ms limit 10000 &&
    tc filter add dev eth0 parent 1: protocol ip flower dst_ip 10.77.0.2 classid 1:2'
}
expect() { fails probe.latency 'host1>host2'; }
mend() { on host1 tc qdisc del dev eth0 root; }

broken() { shows host1 'delay 20ms' tc qdisc show dev eth0; }
