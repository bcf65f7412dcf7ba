# SPDX-License-Identifier: Apache-2.0
"""What can be said of hosts at once, and the gate of a scheduler."""

import re
import socket

import expect

HOSTS = "host[1-3]"


def verdict_of(cluster, *arguments):
    said = cluster.cli("verdict", "--hosts", HOSTS, *arguments, "--output", "json")
    return said, expect.valid_json(said.out)


def gate(cluster, *arguments, status):
    said = cluster.cli("gate", "--hosts", HOSTS, *arguments)
    expect.status(said, status)
    return said.out


def case_the_verdict_is_that_of_an_audit_of_the_same_facts(cluster):
    for policy in ("lab", "lossless-dscp"):
        audit = cluster.cli("audit", "--hosts", HOSTS, "--no-probes", "--policy", policy, "--output", "json")
        report = expect.valid_json(audit.out)
        said, answer = verdict_of(cluster, "--policy", policy, "--max-probe-age", "1s")
        expect.status(said, audit.status)
        expect.equal(answer["verdict"]["readiness"], report["verdict"]["readiness"])
        expect.equal(answer["verdict"]["policy_digest"], report["verdict"]["policy_digest"])
        counted = [finding["key"] for finding in report.get("findings", [])
                   if not finding.get("caused_by") and finding["status"] == "CHECK_STATUS_FAIL"]
        expect.equal(sorted(cause["key"] for cause in answer.get("causes", [])
                            if cause["status"] == "CHECK_STATUS_FAIL"), sorted(counted))


def case_a_verdict_is_readable_and_says_what_it_rests_on(cluster):
    said = cluster.cli("verdict", "--hosts", HOSTS)
    expect.contains(said.out, "rests on facts up to ")


def case_the_gate_is_open_for_hosts_that_are_ready_and_for_no_others(cluster):
    said, answer = verdict_of(cluster)
    ready = answer["verdict"]["readiness"] == "READINESS_READY"
    expect.contains(gate(cluster, status=0 if ready else 1), "allowed: ready" if ready else "denied: ")
    # Nobody's name is ready: either the controller has just started, or it knows that it does not know.
    strict = ("--on-unavailable", "deny")
    said = cluster.cli("gate", "--hosts", "nobody", *strict)
    expect.status(said, 1)
    expect.contains(said.out, "denied: ")
    # It was reached, and nobody is told to see whether it runs.
    expect.absent(said.out, "cannot reach")


def case_a_controller_that_is_away_drains_no_cluster(cluster):
    with socket.socket() as silent:  # it accepts, and never says a word
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        away = ("--controller", f"127.0.0.1:{silent.getsockname()[1]}", "--timeout", "500ms")
        expect.contains(gate(cluster, *away, status=0), "allowed: nothing is known")
        expect.contains(gate(cluster, *away, "--on-unavailable", "deny", status=1), "denied: nothing is known")
    closed = away[1]
    expect.contains(gate(cluster, "--controller", closed, status=0), "allowed: nothing is known")


def case_a_gate_without_its_files_says_so_and_drains_no_cluster(cluster):
    said = cluster.cli("gate", "--hosts", HOSTS, "--cert", cluster.directory / "no-such.crt")
    expect.status(said, 0)
    expect.contains(said.out, "no-such.crt")


def case_a_gate_that_is_used_wrongly_says_how(cluster):
    expect.status(cluster.cli("gate", "--hosts", "host[1-"), 64)
    expect.status(cluster.cli("gate"), 64)


def case_a_verdict_is_for_viewers_too(cluster):
    said = cluster.curl("/v1/verdict?hosts=host1", client="guest")
    expect.status(said, 0)
    body, http_status = said.out.rsplit("\n", 1)
    expect.equal(http_status, "200")
    expect.equal(expect.valid_json(body)["verdict"]["coverage"]["hosts_asked"], 1)


def case_what_is_picked_is_ready(cluster):
    said, answer = verdict_of(cluster)
    if answer["verdict"]["readiness"] == "READINESS_READY":
        expect.equal(cluster.cli("pick", "--count", "2", "--from", HOSTS).out, "host[1-2]\n")
    said = cluster.cli("pick", "--count", "4", "--from", HOSTS, "--output", "json")
    expect.status(said, 2)
    expect.contains(said.out, "FAILED_PRECONDITION")


def case_an_address_leads_to_its_host(cluster):
    said = cluster.cli("whois", address_of(cluster, "host2"))
    expect.status(said, 0)
    expect.contains(said.out, "host2 ", "IPv4 address", "GID")
    said = cluster.cli("whois", "192.0.2.250")
    expect.status(said, 1)
    expect.status(cluster.cli("whois", "host[1-"), 64)


NCCL = ("host1:1:1 [0] NCCL WARN NET/IB: Got completion from peer {peer}<1> with status=12 opcode=0 len=0 vendor "
        "err 129 (Recv) localGid ::ffff:{local} remoteGids ::ffff:{peer} hca rxe0\n")


def address_of(cluster, host):
    """That of its rail: the other one is the same on all."""
    facts = expect.valid_json(cluster.cli("facts", host).out)["facts"]
    return next(address["address"] for net in facts["net_devices"]
                for address in net.get("addresses", {}).get("addresses", []) if address["address"].startswith("10.77."))


def case_a_jobs_error_leads_to_its_two_ends(cluster):
    log = cluster.directory / "job.log"
    log.write_text(NCCL.format(local=address_of(cluster, "host1"), peer=address_of(cluster, "host2")) * 3)
    said = cluster.cli("why", "--log", log)
    assert said.status in (0, 1), said
    expect.matches(said.out, r"^host1 \S+ \(\S+/1\) -> host2 \S+ \(\S+/1\): retries exceeded, 3 lines, the first is line 1")
    # Nobody has these two: nothing can be said of them, and that is said.
    log.write_text(NCCL.format(local="192.0.2.250", peer="192.0.2.251"))
    said = cluster.cli("why", "--log", log)
    expect.status(said, 1)
    expect.contains(said.out, "not enough to tell: nobody has ::ffff:192.0.2.250")
    log.write_text("epoch 3: loss 0.12\n")
    expect.status(cluster.cli("why", "--log", log), 64)


def case_an_address_that_all_have_is_nobodys(cluster):
    facts = expect.valid_json(cluster.cli("facts", "host1").out)["facts"]
    shared = next(address["address"] for net in facts["net_devices"]
                  for address in net.get("addresses", {}).get("addresses", [])
                  if "." in address["address"] and not address["address"].startswith(("10.77.", "127.")))
    log = cluster.directory / "job.log"
    log.write_text(NCCL.format(local="192.0.2.250", peer=shared))
    said = cluster.cli("why", "--log", log)
    expect.status(said, 1)
    # Hosts that other cases have left behind have the same facts.
    expect.matches(said.out, rf"::ffff:{re.escape(shared)} fits \d+ hosts: host1, host2, host3")
    # A host that writes of an address of its own is the one among them.
    log.write_text(NCCL.format(local=shared, peer="192.0.2.250"))
    expect.matches(cluster.cli("why", "--log", log).out, "^host1 ")


def case_a_log_that_cannot_be_read_is_said(cluster):
    for path in (cluster.directory / "no-such.log", cluster.directory):
        said = cluster.cli("why", "--log", path)
        expect.status(said, 64)
        expect.contains(said.err, str(path), "cannot be read")
