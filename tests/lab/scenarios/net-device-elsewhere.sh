# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A pod is given the RDMA device, and the net device with its address stays in the host's network namespace.
in_tests_run=no

play() {
  local host
  for host in host1 host2 host3; do save_facts "$host"; done
  judge_saved_facts before
  require_verdict before READY
  on host2 ip netns add pod
  save_facts host2 ip netns exec pod
  judge_saved_facts broken
  require_root_causes broken before
  require_verdict broken UNDETERMINED
  mend
  save_facts host2
  judge_saved_facts mended
  require_verdict mended READY
}

expect() { unknown gid.rocev2-ipv4 host2; }
mend() { on host2 sh -c '! ip netns list | grep -q ^pod || ip netns del pod'; }
