# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The agent's user may not open the verbs device: what only verbs can tell is unknown, never passed.
in_tests_run=yes

break_it() { on host2 chmod 600 /dev/infiniband/uverbs0; }
expect() { unknown mtu.rdma-active host2; }
mend() { on host2 chmod 666 /dev/infiniband/uverbs0; }

broken() {
  ! on host2 setpriv --reuid roceready-agent --regid roceready-agent --clear-groups \
    ibv_devinfo -d rxe0 > /dev/null 2>&1
}
