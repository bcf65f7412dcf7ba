# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The agent's user may not open the verbs device: what only verbs can tell is unknown, never passed.
in_tests_run=yes

break_it() { on host2 chmod 600 /dev/infiniband/uverbs0; }
expect() { unknown device.rdma-present host2; }
examine() {
  require_verdict broken UNDETERMINED
  require_reason broken device.rdma-present DENIED
  require_reason broken mtu.rdma-active DENIED
}
mend() { on host2 chmod 666 /dev/infiniband/uverbs0; }

broken() {
  ! on host2 setpriv --reuid roceready-agent --regid roceready-agent --clear-groups \
    ibv_devinfo -d rxe0 > /dev/null 2>&1
}
