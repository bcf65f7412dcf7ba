# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Between two of three hosts the way is narrow, as between leaves; each of the two is fast with the third.
in_tests_run=no

# 16 MiB a phase are the least that says anything of bandwidth; through the narrow way they take half a minute.
audit_seconds=420
prepare() { judge_bandwidth; }
dismantle() { judge_by_default; }

break_it() {
  on host1 sh -c 'tc qdisc replace dev eth0 root handle 1: htb default 1 &&
    tc class add dev eth0 parent 1: classid 1:1 htb rate 10gbit &&
    tc class add dev eth0 parent 1: classid 1:2 htb rate 5mbit &&
    tc qdisc add dev eth0 parent 1:2 bfifo limit 4mb &&
    tc filter add dev eth0 parent 1: protocol ip flower dst_ip 10.77.0.2 classid 1:2'
}
expect() { fails probe.bandwidth 'host1>host2'; }
mend() { on host1 tc qdisc del dev eth0 root; }

broken() { shows host1 'class htb 1:2 .*rate 5Mbit' tc class show dev eth0; }
