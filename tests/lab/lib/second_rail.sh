# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A second rail, for what goes wrong between two NICs of one host: Soft-RoCE rxe1 on a net device that no cable
# leaves, in a subnet of its host alone, so that no probe can be asked of it. A route leads to the others' subnets.

# What the dummy device cannot say (DCB, speed, firmware) is not asked: a policy for hosts with it leaves that out.
rails_policy() { # NAME < YAML
  judge_by "$1" lossless_priorities roce_priority trust roce_dscp cnp_dscp cnp_priority congestion_control \
    min_speed_mbps
}

add_second_rail() { # HOST [ADDRESS/PREFIX]
  on "$1" ip link add rail2 type dummy
  set_up_second_rail "$@"
}

# The same at a leaf: what is sent to the device leaf2 comes in at the rail, as by a cable. (A veth pair would be no physical port.)
add_second_rail_at_leaf() { # HOST
  on "$1" ip link add rail2 type dummy
  on "$1" sh -c 'ip link add leaf2 type dummy && ip link set leaf2 up && tc qdisc add dev leaf2 clsact &&
    tc filter add dev leaf2 egress matchall action mirred ingress redirect dev rail2'
  set_up_second_rail "$1"
}

set_up_second_rail() { # HOST [ADDRESS/PREFIX]
  local host=$1
  on "$host" ip link set rail2 mtu 9000
  on "$host" ip addr add "${2:-10.78.${host#host}.1/24}" dev rail2
  on "$host" ip link set rail2 up
  on "$host" ip route add 10.78.0.0/16 dev rail2
  on "$host" rdma link add rxe1 type rxe netdev rail2
}

remove_second_rail() { # HOST: the RDMA device goes with it
  on "$1" sh -c 'ip link del rail2; ip link del leaf2' 2> /dev/null || true
}
