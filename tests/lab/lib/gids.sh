# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The GID table of rxe0 or rxe1. Index 0 is the kernel's own, link-local; addresses take the first free one, so that a
# host of the lab has its IPv4 address at index 1.

gid_is() { # HOST DEVICE INDEX REGEX
  shows "$1" "^$4\$" cat "/sys/class/infiniband/$2/ports/1/gids/$3"
}

ipv4_gid=0000:0000:0000:0000:0000:ffff:0a4d:000. # of 10.77.0.N

# Something else takes the place of the host's IPv4 address, which comes back behind it.
take_index_1_by() { # HOST COMMAND...
  local host=$1 address=10.77.0.${1#host}/24
  shift
  on "$host" ip addr del "$address" dev eth0
  wait_for_gid "$host" '(0000:){7}0000'
  on "$host" "$@"
  wait_for_gid "$host" '.*[1-9a-f].*'
  on "$host" ip addr add "$address" dev eth0
}

# After what took its place has gone.
give_index_1_back() { # HOST
  local address=10.77.0.${1#host}/24
  on "$1" ip addr del "$address" dev eth0 2> /dev/null || true
  wait_for_gid "$1" '(0000:){7}0000'
  on "$1" ip addr add "$address" dev eth0
}

wait_for_gid() { # HOST REGEX
  local deadline=$((SECONDS + settle_seconds))
  until gid_is "$1" rxe0 1 "$2"; do
    [ $SECONDS -lt $deadline ] || die "the GID at index 1 of $1 does not change"
    sleep 0.2
  done
}
