# SPDX-License-Identifier: Apache-2.0
"""`audit --output junit` and `nagios`: whatever happens, their readers get what they can read."""

import xml.etree.ElementTree

import expect
from process import run


def suites_of(said):
    """The testsuites of a JUnit file, whose counts have to be those of their cases."""
    root = xml.etree.ElementTree.fromstring(said.out.encode())
    expect.equal(root.tag, "testsuites")
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            expect.equal(int(element.get(attribute)),
                         sum(case.find(tag) is not None for case in cases), attribute)
        expect.equal(int(element.get("tests")), len(cases))
        assert cases, said
    return {suite.get("name"): suite for suite in root}


def case_junit_is_xml_with_the_findings_of_each_host(cluster):
    said = cluster.cli("audit", "--hosts", "host[1-2],nobody", "--no-probes", "--output", "junit")
    expect.status(said, 3)
    suites = suites_of(said)
    for host in ("host1", "host2"):
        failures = {case.get("classname"): case.find("failure").get("type")
                    for case in suites[f"host {host}"] if case.find("failure") is not None}
        expect.equal(failures.get("device.verbs-access"), "degrades")
    silent = [case.get("classname") for case in suites["host nobody"]
              if case.find("error") is not None]
    expect.equal(silent, ["host.heard-from"])
    assert len(suites["checklist"]) > 10, said
    expect.absent(said.out, "PASS")


def case_junit_is_xml_where_there_is_no_audit(cluster):
    for arguments, status in ((["--hosts", "host1", "--policy", "none"], 64),
                              (["--hosts", "gpu[1-"], 64),
                              (["--facts", "/nonexistent<&>"], 64)):
        said = cluster.cli("audit", *arguments, "--output", "junit")
        expect.status(said, status)
        (case,) = suites_of(said)["audit"].iter("testcase")
        expect.contains(said.err, case.find("error").get("message").split("  ")[0][:30])


def case_other_commands_have_no_such_form(cluster):
    for form, status, beginning in (("junit", 64, "<?xml "), ("nagios", 3, "ROCEREADY UNKNOWN - ")):
        said = cluster.cli("hosts", "--output", form)
        expect.status(said, status)
        assert said.out.startswith(beginning), said
        expect.contains(said.err, "--output: junit and nagios are forms of audit alone")
    said = cluster.cli("fix", "a1-1", "--output", "json")
    expect.status(said, 64)
    expect.contains(said.err, "--output: what fix prints is chosen by --format")


def case_nagios_is_one_line_with_a_status_of_its_own(cluster):
    facts = cluster.directory / "formats-facts"
    facts.mkdir()
    (facts / "host1.json").write_text(cluster.recorded_facts())
    policy = cluster.policies / "lab.yaml"
    broken = cluster.directory / "formats-broken"
    broken.mkdir()
    (broken / "host1.json").write_text(
        cluster.recorded_facts().replace('"mtu_bytes": 9000', '"mtu_bytes": 1500'))
    for arguments, status, beginning in (
            (["--hosts", "host1", "--no-probes"], 1, "ROCEREADY WARNING - READY: 1 degrading: "),
            (["--facts", broken, "--policy", policy], 2, "ROCEREADY CRITICAL - NOT READY: "),
            (["--hosts", "nobody", "--no-probes"], 3, "ROCEREADY UNKNOWN - UNDETERMINED: "),
            (["--facts", facts, "--policy", policy], 0, "ROCEREADY OK - READY: 1 host"),
            (["--hosts", "gpu[1-"], 3, "ROCEREADY UNKNOWN - "),
            (["--hosts", "host1", "--policy", "none"], 3, "ROCEREADY UNKNOWN - "),
            (["--facts", "/nonexistent"], 3, "ROCEREADY UNKNOWN - cannot read /nonexistent: ")):
        said = cluster.cli("audit", *arguments, "--output", "nagios")
        expect.status(said, status)
        assert said.out.startswith(beginning), said
        expect.equal(said.out.count("\n"), 1)
        if " - READY" in said.out:
            expect.matches(said.out, r" \| blocking=0;;0;0 .* hosts=1;;;0;1 ")
    said = run(cluster.roceready, "--controller", "127.0.0.1:1", "--config", cluster.client_config,
               "audit", "--hosts", "host1", "--output", "nagios")
    expect.status(said, 3)
    expect.contains(said.out, "ROCEREADY UNKNOWN - ")
