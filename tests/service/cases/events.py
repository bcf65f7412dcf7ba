# SPDX-License-Identifier: Apache-2.0
"""What has changed in the configuration of hosts: listed, followed, and left over."""

import expect
from cases.store import in_history
from process import wait_for

WHAT = "uverbs.mode"


def set_mode(cluster, mode):
    """Who may open the verbs node of host1, which is configuration, and has it read."""
    (cluster.directory / "root-host1/dev/infiniband/uverbs0").chmod(mode)
    cluster.cli("audit", "--hosts", "host1", "--no-probes")


def events_of(cluster, host):
    said = cluster.cli("events", "--hosts", host, "--since", "1h", "--output", "json")
    expect.status(said, 0)
    return [event for event in expect.valid_json(said.out).get("events", []) if WHAT in event["path"]]


def case_a_changed_setting_is_told_followed_and_gone_when_it_is_back(cluster):
    before = events_of(cluster, "host1")
    watch = cluster.launch("events", [cluster.roceready, "--config", cluster.client_config, "events",
                                      "--since", "1s", "--watch", "--output", "json"])
    try:
        wait_for("the facts before are on disk", lambda: in_history(
            cluster, "SELECT count(*) FROM host_facts WHERE host = 'host1'") == 1)
        set_mode(cluster, 0o666)
        wait_for("the change is an event", lambda: len(events_of(cluster, "host1")) > len(before))
        event = events_of(cluster, "host1")[-1]
        expect.equal((event["host"], event["from"], event["to"]), ("host1", str(0o644), str(0o666)))
        assert event["not_before"] <= event["at"], event
        table = cluster.cli("events", "--hosts", "host1")
        expect.contains(table.out, "host1", WHAT, f"{0o644} -> {0o666}")
        expect.equal(events_of(cluster, "host2"), [])
        code, answer = cluster.curl("/v1/events?hosts=host1&max_age=3600s").out.rsplit("\n", 1)[::-1]
        expect.equal(code, "200")
        expect.contains(answer, WHAT)
        watch.wait_for_log(WHAT)

        left = cluster.cli("diff", "host1", "--from", "1h")
        expect.status(left, 1)
        expect.contains(left.out, WHAT)
        set_mode(cluster, 0o644)
        wait_for("the change back is an event", lambda: len(events_of(cluster, "host1")) > len(before) + 1)
        expect.absent(cluster.cli("diff", "host1", "--from", "1h").out, WHAT)
    finally:
        set_mode(cluster, 0o644)
        expect.equal(watch.stop(), 0)
        cluster.processes.remove(watch)
