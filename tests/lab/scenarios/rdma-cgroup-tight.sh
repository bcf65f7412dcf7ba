# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The control group of jobs allows one small test and no whole job: too few completion queues for all-to-all.
in_tests_run=no

prepare() { start_job_starter host2; }
dismantle() { stop_job_starter host2; }

break_it() { limit_rdma_of_jobs host2 hca_object=100; }
expect() { fails limits.rdma-cgroup-room host2; }
mend() { limit_rdma_of_jobs host2 hca_object=max; }

broken() { shows host2 '^rxe0 .*hca_object=100( |$)' cat /sys/fs/cgroup/jobs/rdma.max; }
