# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A DCB query hangs for a minute with RTNL held, as behind a wedged firmware.
#
# All that needs RTNL times out and is unknown; what does not need it stays fresh, and so does the
# agent's link. Ten seconds after the hang all is as before.
in_tests_run=yes

hang_seconds=60
recover_seconds=10

hang_for() { on host2 sh -c "echo $1 > /sys/module/testnic/parameters/hang_ms"; }

break_it() {
  hang_for $((hang_seconds * 1000))
  # The agent asks by itself; this makes sure that somebody has.
  on host2 sh -c 'setsid dcb pfc show dev eth0 > /dev/null 2>&1 < /dev/null & sleep 1'
}
mend() { hang_for 0; }
# A dcb in uninterruptible sleep. (Asking something that hangs too would hang us.)
broken() { shows host2 '\(dcb\) D' sh -c 'cat /proc/[0-9]*/stat'; }

expect() { unknown port.active host2; }
examine() {
  local check
  require_verdict broken UNDETERMINED
  # RDMA netlink, dcb, verbs, ethtool.
  for check in port.active pfc.lossless-priority qos.dscp-priority mtu.rdma-active speed.as-planned; do
    require_reason broken $check TIMED_OUT
  done
  # sysfs, devlink: still told.
  require_json broken '[.. | objects | select(has("status") and has("subject"))
    | select(.check_id | IN("mtu.netdev", "gid.rocev2-ipv4", "firmware.minimum"))] == []'
}

play() {
  local began mended
  audit before --no-probes
  require_verdict before READY
  break_it
  began=$SECONDS
  wait_until broken
  audit broken --no-probes
  require_root_causes broken before
  examine
  # A command that reads once ends, though one of its readings does not.
  require_within 30000 host2 roceready-agent facts
  broken
  while [ $((SECONDS - began)) -lt $((hang_seconds - 2)) ]; do
    require_linked host2
    sleep 2
  done
  mend
  mended=$SECONDS
  # Findings too: what is still unknown need not keep a host from being READY.
  until audit mended --no-probes && [ "$(verdict mended)" = READY ] &&
    require_no_new_root_causes mended before 2> /dev/null; do
    if [ $((SECONDS - mended)) -gt $recover_seconds ]; then
      require_verdict mended READY
      require_no_new_root_causes mended before
    fi
  done
}
