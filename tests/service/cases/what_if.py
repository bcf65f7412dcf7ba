# SPDX-License-Identifier: Apache-2.0
"""What another policy would make of the facts that the controller has."""

import expect
from process import wait_for

HOST_NAMES = ("host1", "host2", "host3")
HOSTS = "host[1-3]"
NEXT = """\
name: next
intent:
  mtu_bytes: 9216
"""


def next_policy(cluster, text=NEXT):
    path = cluster.directory / "next.yaml"
    path.write_text(text)
    return path


def what_if(cluster, *arguments, status, hosts=HOSTS):
    """The document of a what-if over stored facts."""
    said = cluster.cli("audit", "--hosts", hosts, "--facts", "stored", *arguments, "--output", "json")
    expect.status(said, status)
    return expect.valid_json(said.out)


def sides(document):
    return {row["host"]: (row["before"], row["after"]) for row in document["hosts"]}


def fact_ages(cluster):
    """Of the hosts whose agents run: others that the controller has heard of may have no facts."""
    known = cluster.hosts()
    return {host: float(known[host]["fact_age"].removesuffix("s")) for host in HOST_NAMES}


def reads_anew(cluster, *arguments):
    """Whether hosts read their facts again for an audit. Each does so by itself once a minute: what happens
    three times in a row is no accident."""
    for _ in range(3):
        wait_for("facts that are not of this moment",
                 lambda: min(fact_ages(cluster).values()) > 0.5)
        before = fact_ages(cluster)
        cluster.cli("audit", "--hosts", HOSTS, *arguments)
        after = fact_ages(cluster)
        if all(after[host] >= before[host] for host in HOST_NAMES):
            return False
    return True


def case_no_agent_is_asked_for_anything(cluster):
    path = next_policy(cluster)
    assert reads_anew(cluster, "--no-probes"), "an audit that does not read facts: this case cannot fail"
    assert not reads_anew(cluster, "--facts", "stored", "--policy", path)
    assert not reads_anew(cluster, "--facts", "stored", "--policy", "lossless-dscp")


def case_a_file_is_compared_with_the_policy_in_force(cluster):
    path = next_policy(cluster)
    document = what_if(cluster, "--policy", path, status=2)
    expect.equal(sides(document), {host: ("green", "red") for host in HOST_NAMES})
    expect.contains(document["before"]["policy"], "lab (of the controller, its default)")
    expect.contains(document["after"]["policy"], "next", str(path))
    move = next(row for row in document["checks"] if row["check_id"] == "mtu.netdev")
    expect.equal((move["before"], move["after"], move["count"]), ("none", "blocks", 3))
    expect.equal(move["first"]["policy_source"], "next.yaml:3")
    assert all("fact_age_seconds" in row for row in document["hosts"]), document
    expect.contains(str(document["not_compared"]), "switch settings")

    said = cluster.cli("audit", "--hosts", HOSTS, "--facts", "stored", "--policy", path)
    expect.status(said, 2)
    # Lines are wrapped where they end.
    expect.contains(" ".join(said.out.split()), "WHAT IF: NOT READY", "red: host[1-3] (3 hosts)", "mtu.netdev",
                    "stored facts of 3 of 3 hosts", "no host was asked, nothing was probed")


def case_the_policy_in_force_as_a_file_moves_nothing(cluster):
    document = what_if(cluster, "--policy", cluster.policies / "lab.yaml", status=0)
    expect.equal(document.get("checks", []), [])
    expect.equal(document["before"]["policy_digest"], document["after"]["policy_digest"])
    expect.equal(set(sides(document).values()), {("green", "green")})


def case_a_name_is_judged_by_the_controller_and_two_files_are_judged_here(cluster):
    by_name = what_if(cluster, "--policy", "sonic-default", status=2)
    file = cluster.policies / "sonic-default.yaml"
    here = what_if(cluster, "--policy", file, "--against", cluster.policies / "lab.yaml", status=2)
    expect.equal(sides(by_name), sides(here))
    assert by_name["checks"], by_name
    expect.equal([(row["check_id"], row["after"]) for row in by_name["checks"]],
                 [(row["check_id"], row["after"]) for row in here["checks"]])
    unknown = cluster.cli("audit", "--hosts", HOSTS, "--facts", "stored", "--policy", "nobodys")
    expect.status(unknown, 64)
    expect.contains(unknown.err, "there is no policy 'nobodys'")


def case_a_host_without_facts_is_unknown_and_never_green(cluster):
    for against in ([], ["--against", cluster.policies / "lab.yaml"]):
        document = what_if(cluster, "--policy", cluster.policies / "lab.yaml", *against, status=3,
                           hosts="host1,nobody")
        expect.equal(sides(document), {"host1": ("green", "green"), "nobody": ("unknown", "unknown")})
        row = next(row for row in document["hosts"] if row["host"] == "nobody")
        expect.equal(row["has_facts"], False)


def case_a_wrong_policy_and_a_wrong_use_are_told(cluster):
    said = cluster.cli("audit", "--hosts", HOSTS, "--facts", "stored", "--policy",
                       next_policy(cluster, "name: next\nintnet: {}\n"))
    expect.status(said, 78)
    expect.contains(said.err, "next.yaml:2:1", "did you mean intent?")
    said = cluster.cli("audit", "--hosts", HOSTS, "--facts", "stored")
    expect.status(said, 64)
    expect.contains(said.err, "give --policy")
