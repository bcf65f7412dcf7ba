# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The job's GID index is IPv4 on all hosts but one, where an IPv6 address has moved it on.
in_tests_run=no

prepare() {
  judge_by job-index << 'END_YAML'
job:
  gid_index: 1
END_YAML
}
dismantle() { judge_by_default; }

break_it() { take_index_1_by host2 ip addr add fd00:77::2/64 dev eth0 nodad; }
expect() { fails job.gid-index host2; }
mend() {
  on host2 ip addr del fd00:77::2/64 dev eth0
  give_index_1_back host2
}

broken() { gid_is host2 rxe0 1 'fd00:.*' && gid_is host2 rxe0 2 "$ipv4_gid"; }
