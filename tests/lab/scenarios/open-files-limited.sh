# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Jobs of one host may open 1024 files, a default: too few for a full mesh.
in_tests_run=no

prepare() { start_job_starter host2; }
dismantle() { stop_job_starter host2; }

break_it() { start_job_starter host2 --nofile=1024:1048576; }
expect() { fails limits.open-files host2; }
mend() { start_job_starter host2; }

broken() { job_starter_has host2 nofile 1024; }
