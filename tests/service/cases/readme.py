# SPDX-License-Identifier: Apache-2.0
"""The commands of README.md run as printed. Nothing in them is changed; around them is declared:
the client's configuration is in HOME, the working directory has the certificates in pki/ (and checks/, as in a checkout), the programs are
on the PATH, and curl is told by CURL_HOME/.curlrc where roceready-controller:7473 is."""

import os
import re

import expect
from cluster import ROOT
from process import run


def commands(beginning):
    """The commands of README.md's code blocks that begin so; continued lines joined."""
    blocks = re.findall(r"^```\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    found = [line for line in lines if line.startswith(beginning)]
    assert found, f"README.md has no command {beginning!r}"
    return found


def shell(cluster, command, cwd=None):
    """As a reader would type it."""
    home = cluster.directory / "curl-home"
    home.mkdir(exist_ok=True)
    (home / ".curlrc").write_text(
        f'connect-to = "roceready-controller:7473:127.0.0.1:{cluster.rest_port}"\n'
        "silent\nshow-error\nfail-with-body\n")
    programs = {p.parent for p in (cluster.roceready, cluster.controller_program,
                                   cluster.agent_program)}
    config = home / ".config/roceready/client.yaml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(cluster.client_config.read_text())
    env = {"CURL_HOME": str(home), "HOME": str(home), "PATH": ":".join([*map(str, programs), os.environ["PATH"]])}
    return run("bash", "-c", command, cwd=cwd or cluster.directory, env=env)


def case_the_curl_examples(cluster):
    verdict, hosts, create, events, document, ready = commands("curl ")
    # Nobody has heard of its hosts: undetermined, or no answer while the controller has just started.
    body = expect.valid_json(shell(cluster, verdict).out)
    assert "verdict" in body or body["status"] == 503, body

    said = shell(cluster, hosts)
    expect.status(said, 0)
    expect.equal({"host1", "host2", "host3"} -
                 {row["host"] for row in expect.valid_json(said.out)["hosts"]}, set())

    # Whether it is depends on how long it has been up.
    body = expect.valid_json(shell(cluster, ready).out)
    expect.equal([row["name"] for row in body["conditions"]],
                 ["servers", "policies", "start", "running"])

    said = shell(cluster, document)
    expect.status(said, 0)
    expect.equal(expect.valid_json(said.out)["openapi"], "3.1.0")

    said = shell(cluster, create)
    expect.status(said, 0)
    audit = expect.valid_json(said.out)["audit"]
    expect.equal(audit["request"]["hosts"], "gpu[001-128]")

    # The first audit of this controller, whichever that was.
    said = shell(cluster, events)
    expect.status(said, 0)
    last = [line for line in said.out.splitlines() if line.startswith("data: ")][-1]
    expect.equal(expect.valid_json(last.removeprefix("data: "))["state"], "AUDIT_STATE_DONE")


def case_the_probe_examples(cluster):
    probe, show, rows, stop = commands("roceready probe")
    said = shell(cluster, probe)
    expect.status(said, 3)  # nobody has heard of its hosts
    expect.contains(said.out, "nothing was probed", "UNDETERMINED")
    for command in (show, rows):
        said = shell(cluster, command)
        assert said.status == 0 or "there is no audit a1-7" in said.err, said
    said = shell(cluster, stop)
    expect.status(said, 0)
    expect.contains(said.out, "no probe sends any more")


def case_the_certificates(cluster):
    directory = cluster.directory / "readme-pki"
    directory.mkdir()
    for command in commands("roceready-controller pki"):
        expect.status(shell(cluster, command, cwd=directory), 0)
    names = {path.name for path in (directory / "pki").iterdir()}
    expect.equal({"ca.crt", "controller.crt", "gpu001.crt", "gpu002.crt", "sre.crt"} - names, set())


def case_facts_as_files(cluster):
    directory = cluster.directory / "readme-facts"
    directory.mkdir()
    (directory / "checks").symlink_to(ROOT / "checks")
    make, read, audit, validate = (commands(beginning)[0] for beginning in (
        "mkdir saved", "roceready-agent facts", "roceready audit --facts",
        "roceready policy validate"))
    expect.status(shell(cluster, make, cwd=directory), 0)
    expect.status(shell(cluster, read, cwd=directory), 0)
    said = shell(cluster, audit, cwd=directory)
    assert said.status in (0, 2, 3), said  # whatever this machine is
    expect.matches(said.out, "^(READY|NOT READY|UNDETERMINED) ")
    said = shell(cluster, validate, cwd=directory)
    expect.status(said, 0)
    expect.contains(said.out, "policy lossless-dscp is valid")
