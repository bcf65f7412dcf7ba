# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A program by the name of one that starts jobs: what its limits and its control group are, a job's are.

# start_job_starter HOST [PRLIMIT_OPTION...]: in the control group /jobs, without limits unless they are given.
start_job_starter() {
  local host=$1
  shift
  stop_job_starter "$host"
  # shellcheck disable=SC2016  # expanded in the guest
  on "$host" bash -c 'mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup2 /sys/fs/cgroup
    echo +rdma > /sys/fs/cgroup/cgroup.subtree_control
    rmdir /sys/fs/cgroup/jobs 2> /dev/null # its limits go with it
    mkdir -p /sys/fs/cgroup/jobs /run/job
    cp /bin/sleep /run/job/slurmd
    setsid bash -c "echo \$\$ | tee /run/job/pid > /sys/fs/cgroup/jobs/cgroup.procs; exec \"\$@\"" starter \
      prlimit "$@" /run/job/slurmd 7200 > /dev/null 2>&1 < /dev/null &
    until [ "$(cat /proc/$(cat /run/job/pid)/comm)" = slurmd ]; do sleep 0.1; done 2> /dev/null' \
    start --memlock=unlimited:unlimited --nofile=1048576:1048576 "$@"
}

stop_job_starter() { # HOST
  # shellcheck disable=SC2016  # expanded in the guest
  on "$1" bash -c '[ ! -e /run/job/pid ] || kill "$(cat /run/job/pid)" 2> /dev/null; rm -f /run/job/pid'
}

limit_rdma_of_jobs() { # HOST LIMITS, such as hca_object=3
  on "$1" sh -c "echo 'rxe0 $2' > /sys/fs/cgroup/jobs/rdma.max"
}

# The job starter's limit as the kernel has it: prlimit's RESOURCE (memlock, nofile), VALUE.
job_starter_has() { # HOST RESOURCE SOFT_VALUE
  # shellcheck disable=SC2016  # expanded in the guest
  shows "$1" "^$3\$" bash -c 'prlimit --raw --noheadings --output SOFT --"$1" --pid "$(cat /run/job/pid)"' show "$2"
}
