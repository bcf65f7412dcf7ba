# SPDX-License-Identifier: Apache-2.0
"""Certificates that do not hold, or not for what they are used for: refused and named, at both ends,
while the other agents' streams stay as they are."""

import shutil

import expect
import rpc
from process import run, wait_for
from relay import Relay


def by_openssl(cluster, directory, name, days, extensions):
    """A certificate of the cluster's CA that `pki` would not make."""
    made = cluster.directory / directory
    made.mkdir(exist_ok=True)
    for command in (
            ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-subj", f"/CN={name}", "-keyout", made / f"{name}.key",
             "-out", made / f"{name}.csr"],
            ["openssl", "x509", "-req", "-in", made / f"{name}.csr", "-CA", cluster.pki / "ca.crt",
             "-CAkey", cluster.pki / "ca.key", "-days", str(days), "-extfile", "-",
             "-out", made / f"{name}.crt"]):
        said = run(*command, stdin=extensions.encode())
        expect.status(said, 0)
    shutil.copy(cluster.pki / "ca.crt", made / "ca.crt")
    return made


def other_ca(cluster):
    directory = cluster.directory / "other-pki"
    if not directory.exists():
        cluster.make("ca", directory=directory)
        cluster.make("host", "host4", "host1", directory=directory)
        cluster.make("client", "--role", "admin", "eve", directory=directory)
    return directory


def agent_is_refused(cluster, name, config, *status_says):
    """Runs an agent that cannot connect; its status and its log say why."""
    agent = cluster.start_agent(name, config)
    try:
        def refused():
            said = cluster.agent_status(name)
            return said if "not connected" in said.out else None
        said = wait_for(f"{name} is refused", refused)
        expect.status(said, 1)
        expect.contains(said.out, "what to do: ", *status_says)
        agent.wait_for_log(r'level=warn message="cannot reach the controller"')
        expect.contains(agent.log().replace('\\"', '"'), *status_says[:1])
    finally:
        cluster.retire(agent)


def case_an_agent_of_another_ca_does_not_trust_the_controller(cluster):
    # It hangs up; that it does not trust us is for its own log to say.
    before = cluster.sessions()
    tls = cluster.tls("host4", directory=other_ca(cluster))
    agent_is_refused(cluster, "host4", cluster.agent_config("host4", tls),
                     "certificate verify failed", "the CA in `tls.ca`")
    expect.equal(cluster.sessions(), before)


def case_an_agent_of_another_ca_is_refused_by_name(cluster):
    # It trusts our CA too, so that the controller is the one to refuse.
    other = other_ca(cluster)
    both = other / "both.crt"
    both.write_text((cluster.pki / "ca.crt").read_text() + (other / "ca.crt").read_text())
    before, mark = cluster.sessions(), cluster.controller.mark()
    tls = cluster.tls("host4", directory=other, ca=both)
    agent_is_refused(cluster, "host4", cluster.agent_config("host4", tls),
                     "the other end closed the connection")
    cluster.controller.wait_for_log(
        r'level=warn message="certificate refused" of="host host4" .*'
        r'why="[^"]*(issuer|self-signed)[^"]*"', mark)
    expect.equal(cluster.sessions(), before)


def case_an_expired_certificate_is_refused_at_both_ends(cluster):
    expired = by_openssl(cluster, "expired", "host4", -1, "subjectAltName=DNS:host4\n")
    tls = cluster.tls("host4", directory=expired)
    config = cluster.directory / "agent-host4.yaml"
    config.write_text(cluster.agent_config("host4", tls))
    said = run(cluster.agent_program, "run", "--config", config)
    expect.status(said, 77)
    expect.contains(said.err, 'message="cannot start"', f"{config}: certificate",
                    f"{expired}/host4.crt", "certificate has expired", "issue a new certificate")

    # Of an agent whose clock is wrong.
    before, mark = cluster.sessions(), cluster.controller.mark()
    with rpc.AgentStream(cluster.schema, cluster.agent_port,
                         rpc.credentials(expired, "host4")) as stream:
        stream.send(stream.hello("host4"))
        _, code, _ = stream.end()
    expect.equal(code, "UNAVAILABLE")
    cluster.controller.wait_for_log(r'level=warn message="certificate refused" of="host host4" .*'
                                    r'why="certificate has expired"', mark)
    expect.equal(cluster.sessions(), before)


def case_a_certificate_of_another_host_does_not_speak_for_this_one(cluster):
    config = cluster.directory / "agent-other.yaml"
    config.write_text(cluster.agent_config("other", cluster.tls("host2"), extra="host: host1\n"))
    said = run(cluster.agent_program, "run", "--config", config)
    expect.status(said, 78)
    expect.contains(said.err, 'host \\"host1\\" is configured',
                    "the certificate names host host2", "correct `host:` or issue")

    before, mark = cluster.sessions(), cluster.controller.mark()
    with rpc.AgentStream(cluster.schema, cluster.agent_port,
                         rpc.credentials(cluster.pki, "host2")) as stream:
        stream.send(stream.hello("host1"))
        messages, code, said = stream.end()
    complaint = ("the agent says it is 'host1', but its certificate is for host host2: give it a "
                 "certificate with the DNS name 'host1', or set its `host` to the certificate's name")
    expect.equal((code, said), ("PERMISSION_DENIED", complaint))
    expect.equal([m.goodbye.reason for m in messages], [complaint])
    line = cluster.controller.wait_for_log(r'level=warn message="stream refused"[^\n]*', mark)
    expect.contains(line.group(0), complaint, "peer=ipv4:127.0.0.1:")
    expect.equal(cluster.sessions(), before)


def case_an_agent_whose_certificate_is_replaced_by_another_hosts_is_told(cluster):
    # Certificates are read again when they change: a wrong copy is found at the next connection.
    cluster.make("host", "host6", "host7")
    mine = cluster.directory / "host6-tls"
    mine.mkdir()
    for name in ("ca.crt", "host6.crt", "host6.key"):
        shutil.copy(cluster.pki / name, mine)
    before, mark = cluster.sessions(), cluster.controller.mark()
    relay = Relay(cluster.agent_port)
    agent = cluster.start_agent("host6", cluster.agent_config(
        "host6", cluster.tls("host6", directory=mine), endpoint=f"127.0.0.1:{relay.port}"))
    try:
        wait_for("host6 is connected", lambda: cluster.agent_status("host6").status == 0)
        for kind in ("key", "crt"):
            shutil.copy(cluster.pki / f"host7.{kind}", mine / f"host6.{kind}")

        def refused():
            said = cluster.agent_status("host6")
            if said.status == 0:
                relay.cut()
            return said if "its certificate is for host host7" in said.out else None
        said = wait_for("host6 is refused", refused)
        expect.status(said, 1)
        expect.contains(said.out, "the agent says it is 'host6', but its certificate is for host host7",
                        "what to do: the controller refused this agent")
        agent.wait_for_log("its certificate is for host host7")
        cluster.controller.wait_for_log(r'message="stream refused" host=host6 .*host host7', mark)
        row = cluster.hosts()["host6"]
        expect.equal(row["state"], "HOST_STATE_MISSING")
    finally:
        cluster.retire(agent)
        relay.close()
    expect.equal(cluster.sessions(), before)


def case_a_second_machine_of_the_same_name_is_refused(cluster):
    # Of a host of its own: that it was claimed twice is remembered, and stays a finding, for minutes.
    cluster.make("host", "host8")
    before, mark = cluster.sessions(), cluster.controller.mark()
    agent = cluster.start_agent("host8")
    try:
        wait_for("host8 is connected", lambda: cluster.agent_status("host8").status == 0)
        first = cluster.agent_status("host8").out
        with rpc.AgentStream(cluster.schema, cluster.agent_port,
                             rpc.credentials(cluster.pki, "host8")) as stream:
            stream.send(stream.hello("host8", machine_id="f" * 32))
            _, code, said = stream.end()
        expect.equal(code, "ALREADY_EXISTS")
        expect.contains(said, "another machine is connected as 'host8' from",
                        "two machines hold a certificate for one name")
        cluster.controller.wait_for_log(
            r'level=warn message="a second machine claims a host\'s name" host=host8', mark)
        expect.equal(cluster.agent_status("host8").out.splitlines()[1], first.splitlines()[1])
    finally:
        cluster.retire(agent)
    expect.equal(cluster.sessions(), before)


def case_a_client_certificate_makes_no_agent(cluster):
    config = cluster.directory / "agent-sre.yaml"
    config.write_text(cluster.agent_config("sre", cluster.tls("sre")))
    said = run(cluster.agent_program, "run", "--config", config)
    expect.status(said, 78)
    expect.contains(said.err, "the certificate names role operator", "issue one with a single DNS name")

    before, mark = cluster.sessions(), cluster.controller.mark()
    with rpc.AgentStream(cluster.schema, cluster.agent_port,
                         rpc.credentials(cluster.pki, "sre")) as stream:
        stream.send(stream.hello("host1"))
        _, code, said = stream.end()
    expect.equal(code, "PERMISSION_DENIED")
    expect.contains(said, "its certificate is for role operator")
    cluster.controller.wait_for_log(r'message="stream refused".*certificate is for role operator',
                                    mark)
    expect.equal(cluster.sessions(), before)


def case_an_agents_certificate_makes_no_client(cluster):
    host = ["--cert", cluster.pki / "host1.crt", "--key", cluster.pki / "host1.key"]
    said = cluster.cli(*host, "hosts")
    expect.status(said, 77)
    expect.contains(said.err, "this needs the role viewer", "host1", "has none",
                    "URI roceready://role/viewer")
    said = cluster.curl("/v1/hosts", client="host1")
    body, http_status = said.out.rsplit("\n", 1)
    expect.equal(http_status, "403", body)
    expect.contains(expect.valid_json(body)["detail"], "this needs the role viewer")


def case_a_certificate_that_names_nobody_opens_nothing(cluster):
    # Of a CA that is the whole site's: valid, and with neither a host nor a role of ours.
    made = by_openssl(cluster, "nobody", "mallory", 1, "basicConstraints=CA:FALSE\n")
    said = cluster.cli("--cert", made / "mallory.crt", "--key", made / "mallory.key", "hosts")
    expect.status(said, 77)
    expect.contains(said.err, "mallory", "a certificate that names no host and no role")
    for path in ("/v1/hosts", "/v1/checks"):
        said = run("curl", "--silent", "--show-error", "--cacert", cluster.pki / "ca.crt",
                   "--cert", made / "mallory.crt", "--key", made / "mallory.key",
                   f"https://127.0.0.1:{cluster.rest_port}{path}")
        expect.equal(expect.valid_json(said.out)["title"], "PERMISSION_DENIED")


def case_a_viewer_may_look_and_not_order(cluster):
    viewer = ["--cert", cluster.pki / "guest.crt", "--key", cluster.pki / "guest.key"]
    expect.status(cluster.cli(*viewer, "hosts"), 0)
    said = cluster.cli(*viewer, "audit", "--hosts", "host1", "--no-probes")
    expect.status(said, 77)
    expect.contains(said.err, "this needs the role operator, and guest (role viewer) has viewer",
                    "URI roceready://role/operator")


def case_without_a_certificate_nobody_gets_in(cluster):
    before, mark = cluster.sessions(), cluster.controller.mark()
    with rpc.AgentStream(cluster.schema, cluster.agent_port,
                         rpc.credentials(cluster.pki)) as stream:
        stream.send(stream.hello("host1"))
        expect.equal(stream.end()[1], "UNAVAILABLE")
    cluster.controller.wait_for_log(r'level=warn message="TLS handshake failed".*'
                                    "peer did not return a certificate", mark)
    mark = cluster.controller.mark()
    said = run("curl", "--silent", "--show-error", "--cacert", cluster.pki / "ca.crt",
               f"https://127.0.0.1:{cluster.rest_port}/v1/hosts")
    assert said.status != 0 and not said.out, said
    cluster.controller.wait_for_log(r'level=warn message="TLS handshake failed" peer=127.0.0.1.*'
                                    "peer did not return a certificate", mark)
    said = cluster.cli("--cert", "/nonexistent/sre.crt", "hosts")
    expect.status(said, 78)
    expect.contains(said.err, 'certificate file "/nonexistent/sre.crt"', "No such file")
    expect.equal(cluster.sessions(), before)


def case_clients_of_another_ca_are_told(cluster):
    eve, mark = other_ca(cluster), cluster.controller.mark()
    # Our CA and her certificate: seen before anything is sent.
    said = cluster.cli("--cert", eve / "eve.crt", "--key", eve / "eve.key", "hosts")
    expect.status(said, 77)
    expect.contains(said.err, f'certificate "{eve}/eve.crt" does not hold under CA',
                    "name the CA that issued this one")
    # Her CA: she does not trust the controller.
    said = cluster.cli("--ca", eve / "ca.crt", "--cert", eve / "eve.crt", "--key", eve / "eve.key",
                       "hosts")
    expect.status(said, 77)
    expect.contains(said.err, f"127.0.0.1:{cluster.api_port}", "certificate verify failed",
                    "the same CA")
    # Both CAs: the controller refuses her, by name.
    both = eve / "both.crt"
    both.write_text((cluster.pki / "ca.crt").read_text() + (eve / "ca.crt").read_text())
    said = cluster.cli("--ca", both, "--cert", eve / "eve.crt", "--key", eve / "eve.key", "hosts")
    expect.status(said, 69)
    expect.contains(said.err, f"127.0.0.1:{cluster.api_port}", "its log says why")
    cluster.controller.wait_for_log(r'level=warn message="certificate refused" of="role admin"', mark)


def case_a_controller_that_has_another_name_is_not_trusted(cluster):
    # Its certificate names 127.0.0.1 and not localhost.
    cluster.make("host", "host5")
    endpoint = f"localhost:{cluster.agent_port}"
    agent_is_refused(cluster, "host5",
                     cluster.agent_config("host5", cluster.tls("host5"), endpoint=endpoint),
                     'the server\'s certificate does not name "localhost"',
                     f'a certificate that names the host of "{endpoint}"')
    said = cluster.cli("--controller", f"localhost:{cluster.api_port}", "hosts")
    expect.status(said, 77)
    expect.contains(said.err, 'does not name "localhost"')
