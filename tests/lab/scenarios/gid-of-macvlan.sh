# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# At the job's GID index of one host is the address of a macvlan, as of another container.
in_tests_run=no

prepare() {
  judge_by job-index << 'END_YAML'
job:
  gid_index: 1
END_YAML
}
dismantle() { judge_by_default; }

add_macvlan() { # The address before the link is up: the GID comes with it.
  # shellcheck disable=SC2016  # expanded in the guest
  on host2 sh -c 'ip link add pod0 link eth0 type macvlan mode bridge &&
    ip addr add 10.79.2.1/24 dev pod0 && ip link set pod0 up'
}
break_it() {
  on host2 ip addr del 10.77.0.2/24 dev eth0
  wait_for_gid host2 '(0000:){7}0000'
  add_macvlan
  wait_for_gid host2 '.*:ffff:0a4f:0201'
  on host2 ip addr add 10.77.0.2/24 dev eth0
}
expect() { fails job.gid-index host2; }
mend() {
  on host2 ip link del pod0
  give_index_1_back host2
}

broken() {
  shows host2 '^pod0$' cat /sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/1
}
