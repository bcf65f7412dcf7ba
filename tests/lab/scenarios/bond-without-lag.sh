# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The RDMA device of a bond has come apart: each member has one of its own, and both show the bond's address.
in_tests_run=no

prepare() {
  rails_policy two-rails < /dev/null
  on host2 sh -c 'modprobe bonding max_bonds=0 && ip link add bond0 type bond mode balance-xor xmit_hash_policy layer3+4 miimon 100 &&
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

break_it() {
  on host2 sh -c 'rdma link del rxe1 && rdma link add rxe1 type rxe netdev member1 && rdma link add rxe2 type rxe netdev member2'
}
expect() { fails bond.roce-lag host2; }
mend() {
  on host2 sh -c 'for device in rxe1 rxe2; do rdma link del $device; done; rdma link add rxe1 type rxe netdev bond0'
}

# Both have the bond's address in their GID tables.
broken() { has_bond_address rxe1 && has_bond_address rxe2; }
has_bond_address() { # RDMA_DEVICE
  shows host2 'ffff:0a4e:0201' sh -c "cat /sys/class/infiniband/$1/ports/1/gids/* 2> /dev/null"
}
