# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The link goes down and comes back between two audits: it looks well whenever somebody looks.
in_tests_run=no

downs_seen() { on host2 rdma -j statistic show link rxe0/1 | jq '.[0].link_downed'; }

# A window that begins before the flap; counters are looked at again after ten seconds.
break_it() {
  downs_before=$(downs_seen)
  on host2 sh -c 'ip link set eth0 down && sleep 2 && ip link set eth0 up && sleep 3'
}
expect() { fails link.flaps host2; }
# What has happened is over.
mend() { downs_before=$(downs_seen); }

broken() { [ "$(downs_seen)" -gt "${downs_before:=$(downs_seen)}" ]; }
