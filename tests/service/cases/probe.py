# SPDX-License-Identifier: Apache-2.0
"""`roceready probe`, `probe show` and `probe stop` against a controller and its agents."""

import csv
import io
import itertools
import json
import signal

import expect
from process import wait_for

HOSTS = "host[1-3]"
STATUS_OF = {"READINESS_READY": 0, "READINESS_NOT_READY": 2, "READINESS_UNDETERMINED": 3}


def probed(cluster, *arguments):
    """A probe that ended, as JSON. These agents have no adapter that could send: each pair is refused."""
    said = cluster.cli("probe", "--hosts", HOSTS, *arguments, "--output", "json")
    report = expect.valid_json(said.out)
    expect.status(said, STATUS_OF[report["verdict"]["readiness"]])
    return report


def audit_of(cluster, path, *arguments):
    return expect.valid_json(cluster.curl(path, *arguments).out.rsplit("\n", 1)[0])["audit"]


def case_a_probe_says_of_each_way_what_it_measured_or_why_not(cluster):
    report = probed(cluster, "--plan", "full")
    expect.equal(report["state"], "AUDIT_STATE_DONE")
    expect.equal(report["pairs_probed"], report["pairs_planned"])
    expect.equal([(way["from"]["host"], way["to"]["host"]) for way in report["ways"]],
                 list(itertools.permutations(("host1", "host2", "host3"), 2)))
    for way in report["ways"]:
        for verb in (way["write"], way["read"]):
            for figure, reason in (("bandwidth_bps", "bandwidth_unknown"), ("latency_p50_ns", "latency_unknown")):
                assert (figure in verb) != bool(verb.get(reason)), f"{figure} or {reason}: {way}"
        assert ("lost" in way["loss"]) != bool(way["loss"].get("unknown")), way
        assert way["from_device"] and way["to_device"], "named by the facts that the controller has"
    assert report["findings"], "what could not be probed is a finding"


def case_an_audits_ways_are_shown_again(cluster):
    report = probed(cluster)
    audit_id, ways = report["audit_id"], len(report["ways"])
    shown = expect.valid_json(cluster.cli("probe", "show", audit_id, "--output", "json").out)
    expect.equal(shown, report)
    for matrix, column in (("bandwidth", "read_bandwidth_bps"), ("latency", "write_latency_p99_ns"), ("loss", "lost")):
        said = cluster.cli("probe", "show", audit_id, "--matrix", matrix, "--output", "csv")
        expect.status(said, 0)
        rows = list(csv.DictReader(io.StringIO(said.out)))
        expect.equal(len(rows), ways)
        assert all(column in row and None not in row for row in rows), rows
        said = cluster.cli("probe", "show", audit_id, "--matrix", matrix)
        expect.status(said, 0)
        expect.contains(said.out, f"audit {audit_id}, 3 of 3 planned pairs", "host1")
    # But for commands, which are copied as they are.
    for line in cluster.cli("probe", "show", audit_id).out.splitlines():
        assert len(line) <= 80 or "# ib_" in line, line


def case_a_probe_for_people_ends_with_the_findings_of_probes(cluster):
    said = cluster.cli("probe", "--hosts", HOSTS)
    expect.contains(said.out, "probes  audit ", "bandwidth in Gb/s", "3 of 3 planned pairs", "policy lab")
    expect.contains(said.out, "`roceready fix a")


def case_what_cannot_be_shown_is_said(cluster):
    for arguments, status, piece in (
            (["show", "a999999-1"], 64, "there is no audit a999999-1"),
            (["show", "nonsense"], 64, "is no audit id"),
            (["stop", "a999999-1"], 64, "there is no audit a999999-1"),
            (["stop"], 64, "or --all"),
            (["--hosts", "host1", "--plan", "none"], 64, "use audit --no-probes")):
        said = cluster.cli("probe", *arguments)
        expect.status(said, status)
        expect.contains(said.err, piece)


def case_a_stop_of_all_probes_ends_the_audits_that_wait_to_probe(cluster):
    silent = cluster.agents["host3"]
    silent.send(signal.SIGSTOP)
    try:
        # It waits for the facts of host3, and would probe then.
        request = {"hosts": HOSTS, "facts_timeout": "60s", "plan": {"kind": "PLAN_KIND_RING"}}
        audit_id = audit_of(cluster, "/v1/audits", "--json", json.dumps(request))["audit_id"]
        expect.contains(cluster.cli("probe", "show", audit_id).out, f"audit {audit_id}", "it still runs")
        said = cluster.cli("probe", "stop", "--all", "--reason", "a case of the service test")
        expect.status(said, 0)
        expect.contains(said.out, f"0 pairs ended, 0 not begun, of 1 audit: {audit_id}", "no probe sends any more")
        path = f"/v1/audits/{audit_id}"
        wait_for("the audit ended", lambda: audit_of(cluster, path)["ended_at"])
    finally:
        silent.send(signal.SIGCONT)
        wait_for("all agents connected with facts", cluster.all_connected)
    ended = audit_of(cluster, path)
    expect.equal(ended["state"], "AUDIT_STATE_CANCELLED")
    expect.matches(ended["abort_reason"], r"^probes stopped by .*sre.*: a case of the service test$")
    expect.contains(cluster.cli("probe", "show", audit_id).out, "it did not end: probes stopped by")
    said = cluster.cli("probe", "stop", "--all")
    expect.status(said, 0)
    expect.equal(said.out, "no audit had probes to stop\nno probe sends any more\n")


def case_only_operators_stop_probes(cluster):
    guest = ("--cert", cluster.pki / "guest.crt", "--key", cluster.pki / "guest.key")
    said = cluster.cli(*guest, "probe", "stop", "--all")
    expect.status(said, 77)
    expect.contains(said.err, "needs the role operator")
