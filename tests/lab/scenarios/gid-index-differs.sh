# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The two NICs of a host have their GIDs at different indexes: one number for both is wrong.
in_tests_run=no

prepare() {
  rails_policy two-rails < /dev/null
  add_second_rail host2
}
dismantle() {
  remove_second_rail host2
  judge_by_default
}

break_it() { take_index_1_by host2 ip addr add fd00:77::2/64 dev eth0 nodad; }
expect() { fails gid.index-alike host2; }
mend() {
  on host2 ip addr del fd00:77::2/64 dev eth0
  give_index_1_back host2
}

broken() { gid_is host2 rxe0 2 "$ipv4_gid" && gid_is host2 rxe1 1 '.*:ffff:0a4e:0201'; }
