# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A member of a bond is down: the RDMA device over it stays active, with half of its links.
in_tests_run=no

prepare() {
  rails_policy two-rails < /dev/null
  on host2 sh -c 'modprobe bonding max_bonds=0 && ip link add bond0 type bond mode active-backup miimon 100 &&
    for member in member1 member2; do
      ip link add $member type dummy && ip link set $member mtu 9000 && ip link set $member master bond0 &&
        ip link set $member up || exit 1
    done
    ip link set bond0 mtu 9000 && ip addr add 10.78.2.1/24 dev bond0 && ip link set bond0 up &&
    rdma link add rxe1 type rxe netdev bond0'
}
dismantle() {
  on host2 sh -c 'ip link del bond0; ip link del member1; ip link del member2' 2> /dev/null || true
  judge_by_default
}

break_it() { on host2 ip link set member2 down; }
expect() { fails bond.members-up host2; }
mend() { on host2 ip link set member2 up; }

# The RDMA device says nothing of it.
broken() {
  tool_says host2 '.[0].linkinfo.info_slave_data.mii_status == "DOWN"' ip -j -d link show member2 &&
    tool_says host2 '.[0].state == "ACTIVE"' rdma -j link show rxe1/1
}
