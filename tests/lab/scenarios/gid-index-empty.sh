# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The job's GID index is empty on one host: the address has moved on, and what took its place has gone.
in_tests_run=no

prepare() {
  judge_by job-index << 'END_YAML'
job:
  gid_index: 1
END_YAML
}
dismantle() { judge_by_default; }

break_it() {
  take_index_1_by host2 ip addr add fd00:77::2/64 dev eth0 nodad
  on host2 ip addr del fd00:77::2/64 dev eth0
}
expect() { fails job.gid-index host2; }
mend() { give_index_1_back host2; }

broken() { gid_is host2 rxe0 1 '(0000:){7}0000' && gid_is host2 rxe0 2 "$ipv4_gid"; }
