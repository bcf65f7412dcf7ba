# SPDX-License-Identifier: Apache-2.0
"""Host lists: malformed ones, names nobody has heard of, and a controller that is away."""

import expect
from process import free_ports

# List, what is said of it, and the column of the caret (from 0).
MALFORMED = (
    ("gpu[1-", "host list, column 4: this '[' is never closed, expected a ']'", 3),
    ("gpu[4-1]", "host list, column 5: range 4-1 runs backwards, expected 1-4", 4),
    ("a,,b", "host list, column 3: ',' found, expected a host name", 2),
    ("gpu[1-04]", "host list, column 7: 04 has more digits than 1: pad both ends alike, or none", 6),
    ("gpu*", "host list, column 4: '*' found: patterns are understood in policies only", 3),
    ("", "host list, column 1: no host name found, expected one such as gpu001 or gpu[001-128]", 0),
)


def case_malformed_list_is_64_with_a_caret(cluster):
    for hosts, complaint, column in MALFORMED:
        for command in (["audit", "--hosts", hosts, "--no-probes"], ["hosts", hosts]):
            said = cluster.cli(*command)
            expect.status(said, 64)
            expect.equal(said.err.splitlines()[:3],
                         [f"roceready: {complaint}", hosts, " " * column + "^"])
            expect.equal(said.out, "")


def case_the_controller_says_the_same_to_those_who_ask_it_directly(cluster):
    for hosts, complaint, _ in MALFORMED:
        if not hosts:
            continue  # in ListHosts: all hosts
        said = cluster.curl("/v1/hosts", "--get", "--data-urlencode", f"hosts={hosts}")
        body, http_status = said.out.rsplit("\n", 1)
        expect.equal(http_status, "400", body)
        expect.equal(expect.valid_json(body)["detail"], complaint)


def case_a_host_never_heard_of_is_a_row_and_the_rest_is_audited(cluster):
    said = cluster.cli("audit", "--hosts", "host[1-3]", "--no-probes", "--output", "json")
    expect.status(said, 0)
    expect.equal(expect.valid_json(said.out)["verdict"]["readiness"], "READINESS_READY")

    said = cluster.cli("audit", "--hosts", "host[1-3],nobody", "--no-probes")
    expect.status(said, 3)
    expect.matches(said.out, r"^UNDETERMINED   1 unknown\b")
    row = expect.matches(said.out, r"^\? 1 .*(\n    .*)*").group(0)
    expect.contains(" ".join(row.split()), "? 1 no agent of this name has connected",
                    "is roceready-agent running there?", "at nobody", "check host.heard-from")
    expect.contains(said.out, "ready without nobody: 3 hosts", "silent  nobody", "3 of 4 hosts")

    said = cluster.cli("audit", "--hosts", "host[1-3],nobody", "--no-probes", "--output", "json")
    report = expect.valid_json(said.out)
    expect.equal(report["verdict"]["coverage"]["hosts_missing"], ["nobody"])
    expect.equal(report["verdict"]["coverage"]["hosts_judged"], 3)

    said = cluster.cli("hosts", "host1,nobody")
    expect.status(said, 0)
    expect.matches(said.out, r"^host1 +connected ")
    expect.matches(said.out, r"^nobody +unknown .*no agent of this name has connected")


def case_a_controller_that_is_away_is_69_with_its_address_and_what_to_do(cluster):
    (port,) = free_ports(1)
    for command in (["audit", "--hosts", "host1"], ["hosts"], ["facts", "host1"]):
        said = cluster.cli("--controller", f"127.0.0.1:{port}", *command)
        expect.status(said, 69)
        expect.contains(said.err, f"cannot reach the controller at 127.0.0.1:{port}",
                        "Connection refused", "is roceready-controller running there")
        expect.equal(said.out, "")
