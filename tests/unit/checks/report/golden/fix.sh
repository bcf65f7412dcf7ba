#!/bin/sh
# What mends the root causes of audit a1-7, policy lossless-dscp.
# Copy it to the hosts below and run it there as root: each runs its own lines
# only. The first argument stands for the host's name. Read it before you run
# it: nothing has been run yet.

host=${1:-$(uname -n)}
host=$(printf '%s' "$host" | tr '[:upper:]' '[:lower:]')
host=${host%%.*}
status=0
ran=0

run() {
  ran=1
  printf '%s# %s\n' "$host" "$1"
  sh -c "$1" || { status=1; printf '%s: that failed\n' "$host" >&2; }
}

# 1. the GID table is empty
#    check   gid.rocev2-ipv4, blocks
#    at      gpu4 eth0 (rxe0)
#    wanted  a RoCE v2 GID with an IPv4 address
#    seen    the GID table is empty
#    by hand gpu4 eth0 (rxe0): the values between < and > are to be chosen
#            ip addr add <ADDRESS>/<PREFIX> dev eth0
#            GIDs follow the addresses of the net device: give eth0 its IPv4
#            address, also in the network configuration.

# 2. MTU 1500
#    check   mtu.netdev, blocks
#    at      gpu3 ens7f0 (rxe0), gpu[1-2] eth0 (rxe0)
#    wanted  MTU 9000 (lossless-dscp.yaml:9)
#    seen    MTU 1500
#    effect  5 findings follow from it
case $host in
gpu1 | gpu2)
  # until reboot, at gpu[1-2] eth0 (rxe0)
  # Set the MTU, also in the network configuration.
  run 'ip link set dev eth0 mtu 9000'
  ;;
esac
case $host in
gpu3)
  # until reboot, at gpu3 ens7f0 (rxe0)
  # Set the MTU, also in the network configuration.
  run 'ip link set dev ens7f0 mtu 9000'
  ;;
esac

# 3. PFC on no priority
#    check   pfc.lossless-priority, blocks
#    at      gpu2 eth0 (rxe0)
#    wanted  PFC on priority 3, on no other (lossless-dscp.yaml:4)
#    seen    PFC on no priority
case $host in
gpu2)
  # until reboot
  # Set it on the host, also at boot; and see that the switch has the same.
  run 'dcb pfc set dev eth0 prio-pfc 3:on'
  ;;
esac

# 4. PFC on priorities 3 and 4
#    check   pfc.lossless-priority, blocks
#    at      gpu3 ens7f0 (rxe0)
#    wanted  PFC on priority 3, on no other (lossless-dscp.yaml:4)
#    seen    PFC on priorities 3 and 4
case $host in
gpu3)
  # until reboot
  # Set it on the host, also at boot; and see that the switch has the same.
  run 'dcb pfc set dev ens7f0 prio-pfc 4:off'
  ;;
esac

# 5. MTU 1500 of the switch port
#    check   switch.mtu, blocks
#    at      leaf1 Ethernet4
#    wanted  MTU of at least 9000 (lossless-dscp.yaml:9)
#    seen    MTU 1500 of the switch port
case $host in
leaf1)
  # until reboot
  # Raise it at both ends of the link. Keep it with `config save`.
  run 'config interface mtu Ethernet4 9216'
  ;;
esac

# 6. not heard for 2 h
#    check   host.heard-from, unknown, must be known
#    at      gpu9
#    seen    not heard for 2 h
#    by hand gpu9: no command mends this
#            See `roceready-agent status` on the host.

# 7. 25000 Mb/s
#    check   speed.as-planned, degrades
#    at      gpu4 eth0 (rxe0)
#    wanted  100000 Mb/s or more
#    seen    25000 Mb/s
#    effect  1 finding follows from it
#    by hand gpu4 eth0 (rxe0): no command mends this
#            Check cable, optic, breakout and the switch port's speed setting.

[ "$ran" -eq 1 ] || printf '%s: nothing here is for this host\n' "$host"
exit "$status"
