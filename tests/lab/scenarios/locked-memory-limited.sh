# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Jobs of one host may lock 8 MiB, a default: they end with "cannot allocate memory".
in_tests_run=no

prepare() { start_job_starter host2; }
dismantle() { stop_job_starter host2; }

break_it() { start_job_starter host2 --memlock=8388608:8388608; }
expect() { fails limits.locked-memory host2; }
mend() { start_job_starter host2; }

broken() { job_starter_has host2 memlock 8388608; }
