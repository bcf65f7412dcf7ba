# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A job runs between two hosts while they are audited: its adapters are left alone, and so are not known.
in_tests_run=no

# So much that it is seen, and leaves the emulated processors to the audit.
job_mbps=40

start_job() {
  # shellcheck disable=SC2016  # expanded in the guests
  on host2 bash -c 'setsid ib_write_bw -d rxe0 -x 1 -s 65536 -D 600 > /run/job.log 2>&1 < /dev/null &
    echo $! > /run/job.pid
    for i in $(seq 100); do ! ss -ltn | grep -q ":18515 " || exit 0; sleep 0.1; done; exit 1'
  # shellcheck disable=SC2016  # expanded in the guests
  on host1 bash -c 'setsid ib_write_bw -d rxe0 -x 1 -s 65536 -D 600 \
      --rate_limit='$job_mbps' --rate_units=M --rate_limit_type=SW 10.77.0.2 > /run/job.log 2>&1 < /dev/null &
    echo $! > /run/job.pid'
  wait_for_probe host1 # a job's queue pair looks like a probe's
  wait_for_probe host2
}

job_runs() { # HOST
  # shellcheck disable=SC2016  # expanded in the guest
  on "$1" bash -c 'kill -0 "$(cat /run/job.pid)"' && probing "$1"
}

mend() {
  local host
  for host in host1 host2; do
    # shellcheck disable=SC2016  # expanded in the guest
    on "$host" bash -c '! read -r pid < /run/job.pid || kill -KILL "$pid" 2> /dev/null; rm -f /run/job.pid' || true
  done
}

play() {
  audit_before
  start_job
  audit busy
  # Each of the ring's three pairs has an end that is busy.
  require_verdict busy UNDETERMINED
  # That somebody uses them is said, and nothing is said of ways that nobody probed.
  require_json busy '[.. | objects | select(.status? == "CHECK_STATUS_FAIL") | .check_id]
    | index("use.foreign-programs") != null and all(test("^(probe|blame)[.]") | not)'
  require_reason busy probe.write 'rxe0 is in use by ib_write_bw (pid '
  require_json busy '.verdict.coverage | (.pairs_probed // 0 | tonumber) == 0'
  job_runs host1 || die "the job did not outlive the audit"
  job_runs host2 || die "the job did not outlive the audit"
  mend
  wait_for_no_probe host1 host2
  audit_after_repair
}
