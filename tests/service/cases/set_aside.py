# SPDX-License-Identifier: Apache-2.0
"""Hosts that are set aside: nothing is said of them, no job begins on them, and a restart forgets none."""

import expect
from cases.same_content import Api
from process import wait_for

HOSTS = "host[1-3]"


def start_again(cluster):
    """The controller; host2 is set aside, so it counts as no connected host."""
    mark = cluster.controller.mark()
    cluster.controller.start()
    cluster.controller.wait_for_log("controller started", mark)
    wait_for("the other agents connected with facts", lambda: [
        row["host"] for row in cluster.hosts().values() if row["state"] == "HOST_STATE_CONNECTED"] == ["host1", "host3"])


def set_aside(cluster, hosts):
    said = cluster.cli("maintenance", "set", hosts, "--for", "1h", "--reason", "new optics")
    expect.status(said, 0)
    return said


def case_a_host_is_set_aside_over_a_restart_until_it_is_taken_back(cluster):
    try:
        expect.contains(set_aside(cluster, "host2").out, "host2  until ", ": new optics")
        expect.equal(cluster.controller.stop(), 0)
        start_again(cluster)
        said = cluster.cli("maintenance", "list")
        expect.status(said, 0)
        expect.contains(said.out, "host2  until ", ": new optics")

        audited = expect.valid_json(cluster.cli("audit", "--hosts", HOSTS, "--output", "json").out)
        expect.equal(audited["verdict"]["coverage"]["hosts_in_maintenance"], ["host2"])
        expect.equal([finding["key"] for finding in audited["findings"] if "host2" in str(finding["subject"])], [])
        rows = expect.valid_json(cluster.cli("hosts", "--output", "json").out)["hosts"]
        expect.equal({row["host"]: row["state"] for row in rows}["host2"], "HOST_STATE_MAINTENANCE")
        said = cluster.cli("gate", "--hosts", HOSTS)
        expect.status(said, 1)
        expect.contains(said.out, "denied: in maintenance: host2")
    finally:
        said = cluster.cli("maintenance", "end", "host2")
    expect.equal((said.status, said.out), (0, "no longer set aside: host2\n"))
    expect.equal(cluster.cli("maintenance", "list").out, "no host is set aside\n")
    expect.equal(cluster.cli("maintenance", "end", "host2").out, "none of them was set aside\n")


def case_what_cannot_be_meant_is_refused(cluster):
    for arguments, words in (
            (("host1", "--for", "1h"), ("--reason",)),
            (("host1", "--reason", "r"), ("--for",)),
            (("host1", "--for", "91d", "--reason", "r"), ("--for", "2160h")),
            (("host[1-", "--for", "1h", "--reason", "r"), ("column",)),
    ):
        said = cluster.cli("maintenance", "set", *arguments)
        expect.status(said, 64)
        expect.contains(said.err, *words)
    said = cluster.cli("maintenance", "set", "*", "--for", "1h", "--reason", "r")
    expect.status(said, 64)
    expect.contains(said.err, "name them")


def case_only_operators_set_hosts_aside(cluster):
    said = cluster.curl("/v1/maintenance", "--json", '{"hosts": "host1", "reason": "r", "duration": "60s"}',
                        client="guest")
    body, http_status = said.out.rsplit("\n", 1)
    expect.equal(http_status, "403")
    expect.contains(body, "operator")
    code, listed = Api(cluster).by_rest("ListMaintenance", {})
    expect.equal((code, listed), (None, {"marks": [], "next_page_token": ""}))
