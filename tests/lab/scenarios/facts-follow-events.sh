# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What a trusted tool changes in a guest is told to the controller by itself, long before the next collection.
#
# Each change is made in the guest by dcb, ip or rdma and waited for in what the controller has. How long that took is
# printed, not judged: an emulated guest beside a compiler says nothing about time. Judged is what is told, that each is told
# before the collection that comes without an event (every 60 s), and that it goes back.
in_tests_run=no

follow_seconds=30 # half of the interval between full collections

mend() {
  on host2 dcb pfc set dev eth0 prio-pfc 3:on 4:off
  on host2 dcb app del dev eth0 dscp-prio 41:5 2> /dev/null || true
  on host2 ip link set eth0 mtu 9000
  on host2 ip addr del 10.99.0.2/24 dev eth0 2> /dev/null || true
  restore_rdma_device host2
}

# What the controller has of host2, without asking the agent anew. EXPRESSION is jq over HostFacts.
known() { client facts host2 2> /dev/null | jq --exit-status ".facts | $1" > /dev/null; }
eth0='.net_devices[] | select(.name == "eth0")'

# Waits until the controller knows it; prints how long that took.
follows() { # WHAT EXPRESSION
  local began took
  began=$(date +%s%3N)
  until known "$2"; do
    took=$(($(date +%s%3N) - began))
    if [ $took -gt $((follow_seconds * 1000)) ]; then
      say "$1: not known to the controller after $took ms"
      return 1
    fi
    sleep 0.1
  done
  say "$1: known to the controller after $(($(date +%s%3N) - began)) ms"
}

change() { # WHAT EXPRESSION COMMAND...
  local what=$1 expression=$2
  shift 2
  if known "$expression"; then
    say "$what: known before it happened, this would prove nothing"
    return 1
  fi
  on host2 "$@"
  follows "$what" "$expression"
}

play() {
  audit_before
  change "PFC on priority 4" "any($eth0; .dcb.pfc.enabled_priorities | index(4))" \
    dcb pfc set dev eth0 prio-pfc 4:on
  change "PFC off again" "any($eth0; .dcb.pfc.enabled_priorities | index(4) | not)" \
    dcb pfc set dev eth0 prio-pfc 4:off
  change "DSCP 41 to priority 5" "any($eth0; any(.dcb.app.entries[]; .selector == \"dscp\" and .priority == 5
    and (.protocols | index(41))))" dcb app add dev eth0 dscp-prio 41:5
  change "DSCP 41 no more" "any($eth0; all(.dcb.app.entries[]; .selector != \"dscp\" or .priority != 5
    or (.protocols | index(41) | not)))" dcb app del dev eth0 dscp-prio 41:5
  change "MTU 2200" "any($eth0; .mtu.mtu_bytes == 2200)" ip link set eth0 mtu 2200
  # The RDMA port's own MTU follows from it.
  follows "RDMA MTU 2048" 'any(.rdma_devices[].ports[]; .attributes.active_mtu_bytes == 2048)'
  change "MTU 9000" "any($eth0; .mtu.mtu_bytes == 9000)" ip link set eth0 mtu 9000
  follows "RDMA MTU 4096" 'any(.rdma_devices[].ports[]; .attributes.active_mtu_bytes == 4096)'
  change "address added" "any($eth0; any(.addresses.addresses[]; .address == \"10.99.0.2\"))" \
    ip addr add 10.99.0.2/24 dev eth0
  follows "its GID" 'any(.rdma_devices[].ports[].gid_table.gids[]; .gid | endswith("0a63:0002"))'
  change "address gone" "any($eth0; all(.addresses.addresses[]; .address != \"10.99.0.2\"))" \
    ip addr del 10.99.0.2/24 dev eth0
  follows "its GID gone" 'all(.rdma_devices[].ports[].gid_table.gids[]; .gid | endswith("0a63:0002") | not)'
  change "RDMA device gone" '(.rdma_devices // []) == []' rdma link del rxe0
  change "RDMA device back" '(.rdma_devices // []) != []' rdma link add rxe0 type rxe netdev eth0
  mend
  audit_after_repair
}
