# SPDX-License-Identifier: Apache-2.0
"""What a controller keeps over a restart and over its death; a state directory that cannot take it."""

import contextlib
import signal
import sqlite3
import threading

import expect
import rpc
from cases.same_content import Api
from cases.switches import NAME as SWITCH
from cases.switches import SONIC
from process import free_ports, wait_for

HOSTS = "host[1-3]"
LOST = "lost: controller restarted"
ENDED = ("AUDIT_STATE_DONE", "AUDIT_STATE_CANCELLED", "AUDIT_STATE_ABORTED")


def start_again(cluster):
    mark = cluster.controller.mark()
    cluster.controller.start()
    cluster.controller.wait_for_log("controller started", mark)
    wait_for("all agents connected with facts", cluster.all_connected)


def all_about(api, audit_id):
    """Every answer about an audit, by both ways."""
    about = {"audit_id": audit_id}
    return {(name, ask.__name__): ask(name, about)
            for name in ("GetAudit", "ListFindings", "ListProbeResults")
            for ask in (api.by_grpc, api.by_rest)}


def case_an_audit_is_the_same_after_a_restart(cluster):
    api = Api(cluster)
    request = {"request_id": "store-1", "hosts": "host[1-3],nobody"}
    code, created = api.by_grpc("CreateAudit", request)
    assert code is None, created
    audit_id = created["audit"]["audit_id"]
    api.by_grpc("WatchAudit", {"audit_id": audit_id})  # to its end
    before = all_about(api, audit_id)
    assert before["ListFindings", "by_grpc"][1]["findings"], before
    assert before["ListProbeResults", "by_rest"][1]["results"], before

    expect.equal(cluster.controller.stop(), 0)
    start_again(cluster)

    expect.equal(all_about(api, audit_id), before)
    listed = api.by_rest("ListAudits", {})[1]["audits"]
    expect.equal([one for one in listed if one["audit_id"] == audit_id],
                 [before["GetAudit", "by_rest"][1]["audit"]])
    expect.equal(api.by_grpc("CreateAudit", request)[1]["audit"]["audit_id"], audit_id)
    events = api.by_grpc("WatchAudit", {"audit_id": audit_id, "after_sequence": 3})[1]
    expect.equal([(event["sequence"], event["state"]) for event in events],
                 [("4", before["GetAudit", "by_grpc"][1]["audit"]["state"])])


def case_no_acknowledged_audit_is_forgotten_by_a_killed_controller(cluster):
    api = Api(cluster)
    acknowledged, enough = {}, threading.Event()

    def create(number):
        request = {"request_id": f"killed-{number}", "hosts": "host[1-3]"}
        code, answer = api.by_grpc("CreateAudit", request)
        if code is None:
            acknowledged[request["request_id"]] = answer["audit"]["audit_id"]
            if len(acknowledged) >= 10:
                enough.set()

    threads = [threading.Thread(target=create, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    assert enough.wait(60), acknowledged
    kill_controller(cluster)
    for thread in threads:
        thread.join()
    start_again(cluster)

    for request_id, audit_id in acknowledged.items():
        code, answer = api.by_grpc("GetAudit", {"audit_id": audit_id})
        assert code is None, f"{request_id}: {answer}"
        audit = answer["audit"]
        expect.equal(audit["request"]["request_id"], request_id)
        assert audit["state"] in ENDED, audit
        if audit["state"] == "AUDIT_STATE_ABORTED":
            expect.equal(audit["abort_reason"], LOST)
        again = api.by_rest("CreateAudit", {"request_id": request_id, "hosts": "host[1-3]"})
        expect.equal(again[1]["audit"]["audit_id"], audit_id)


def in_history(cluster, question):
    """The answer of the controller's file to a question that has one number."""
    file = cluster.directory / "state-controller/roceready.db"
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as history:
        return history.execute(question).fetchone()[0]


def kill_controller(cluster):
    cluster.controller.stopped = True
    cluster.controller.send(signal.SIGKILL)
    cluster.controller.popen.wait()


def case_a_killed_controller_knows_its_hosts_and_switches_again(cluster):
    imported = cluster.cli("switch", "import", SONIC / "tor-40g.json", "--policy", "lossless-dscp")
    expect.contains(imported.out, SWITCH)
    facts_of = lambda host: expect.valid_json(cluster.cli("facts", host).out)["facts"]
    facts = {host: facts_of(host) for host in cluster.agents}
    # Other cases' agents have left facts as well.
    names = ", ".join(f"'{host}'" for host in facts)
    wait_for("the facts of all hosts on disk", lambda: in_history(
        cluster, f"SELECT count(*) FROM host_facts WHERE host IN ({names})") == len(facts))
    rows_of = lambda: {host: row for host, row in cluster.hosts().items() if host in facts}
    digests = {host: row["facts_digest"] for host, row in rows_of().items()}
    verdict = ("verdict", "--hosts", HOSTS, "--max-age", "1h", "--output", "json")
    before = cluster.cli(*verdict)

    for agent in cluster.agents.values():
        agent.stop()
    kill_controller(cluster)
    mark = cluster.controller.mark()
    cluster.controller.start()
    cluster.controller.wait_for_log("controller started", mark)
    try:
        rows = rows_of()
        expect.equal({host: row["facts_digest"] for host, row in rows.items()}, digests)
        for row in rows.values():
            expect.equal(row["state"], "HOST_STATE_MISSING")
            expect.contains(row["state_reason"], "not heard since the controller's start; facts of 20")
            assert "fact_age" in row, row
        expect.equal({host: facts_of(host) for host in facts}, facts)
        after = cluster.cli(*verdict)
        expect.status(after, before.status)
        said = expect.valid_json(after.out)["verdict"]
        expect.equal(said["readiness"], expect.valid_json(before.out)["verdict"]["readiness"])
        expect.equal(said["coverage"]["hosts_judged"], len(facts))
        assert "oldest_fact" in said["coverage"], said
        # Younger facts than there are: no answer, rather than one that would close the gate.
        expect.contains(cluster.cli("gate", "--hosts", HOSTS, "--max-age", "1s").out,
                        "allowed: nothing is known")
        expect.contains(cluster.cli("switch", "list").out, SWITCH)
    finally:
        for agent in cluster.agents.values():
            agent.start()
        wait_for("all agents connected with facts", cluster.all_connected)
        expect.status(cluster.cli("switch", "remove", SWITCH), 0)


def case_a_full_disk_refuses_audits_and_nothing_else(cluster):
    ports = free_ports(3)
    config = cluster.directory / "full-controller.yaml"
    state = cluster.directory / "state-full-controller"
    config.write_text(cluster.controller_config(ports, state_directory=state, log="{level: info}"))
    # No file grows beyond 200 KiB: the write-ahead log of the history comes first.
    limited = 'trap "" XFSZ; ulimit -f 400; exec "$0" run --config "$1"'
    controller = cluster.launch("full-controller",
                                ["sh", "-c", limited, cluster.controller_program, config])
    try:
        controller.wait_for_log("controller started")
        tls = rpc.credentials(cluster.pki, "sre")
        methods = {method.name: method for method in cluster.schema.fleet_methods()}
        fleet = cluster.schema.fleet
        refused = None
        for number in range(100):
            request = fleet.CreateAuditRequest(hosts="nobody", request_id=f"{number}-" + "x" * 20_000)
            request.plan.kind = fleet.PLAN_KIND_NONE
            try:
                rpc.call(ports[1], tls, methods["CreateAudit"], request, fleet.CreateAuditResponse)
            except rpc.grpc.RpcError as error:
                refused = error
                break
        assert refused is not None, "a hundred audits were taken"
        expect.equal(refused.code().name, "UNAVAILABLE")
        expect.contains(refused.details(), "could not be kept", "roceready.db", "make room")
        controller.wait_for_log("audits cannot be kept")
        listed = rpc.call(ports[1], tls, methods["ListAudits"], fleet.ListAuditsRequest(),
                          fleet.ListAuditsResponse)
        expect.equal(len(listed.audits), number, "what was acknowledged is served")
    finally:
        cluster.retire(controller)


def case_a_history_that_cannot_be_used_keeps_the_controller_from_starting(cluster):
    state = cluster.directory / "state-other-controller"
    state.mkdir(exist_ok=True)
    history = state / "roceready.db"
    # Whatever the user: nothing can be made there.
    said = cluster.try_controller(state_directory="/sys/kernel/roceready")
    expect.status(said, 77)
    expect.contains(said.err, "cannot make the state directory /sys/kernel/roceready")

    history.write_text("no database, and long enough to be taken for one. " * 100)
    said = cluster.try_controller()
    expect.status(said, 78)
    expect.contains(said.err, str(history), "put a backup in its place")

    history.unlink()
    with sqlite3.connect(history) as newer:
        newer.execute(f"PRAGMA application_id = {0x526f4345}")
        newer.execute("PRAGMA user_version = 99")
    newer.close()
    said = cluster.try_controller()
    expect.status(said, 78)
    expect.contains(said.err, str(history), "a newer roceready-controller wrote it")
    history.unlink()
