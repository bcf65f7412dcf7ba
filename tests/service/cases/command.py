# SPDX-License-Identifier: Apache-2.0
"""The `roceready` command: help, mistakes, closed pipes, JSON whatever happens."""

import subprocess

import expect
from process import run

COMMANDS = (["audit"], ["fix"], ["hosts"], ["facts"], ["checks"], ["explain"], ["policy"],
            ["policy", "validate"])


def case_every_command_has_help_for_people(cluster):
    for program, commands in (
            (cluster.roceready, COMMANDS),
            (cluster.agent_program, (["run"], ["facts"], ["check"], ["status"])),
            (cluster.controller_program, (["run"], ["pki"], ["pki", "ca"], ["pki", "host"],
                                          ["pki", "controller"], ["pki", "client"]))):
        for command in ([], *commands):
            said = run(program, *command, "--help")
            expect.status(said, 0)
            expect.contains(said.out, "Usage: ", "--help")
            # CLI11's own words for choices and units.
            expect.absent(said.out, "ENUM", "->", "UINT:")
        expect.status(run(program, "--version"), 0)


# Arguments, and what is said of them; status 64 each.
USAGE = (
    ([], ("A subcommand is required",)),
    (["nonsense"], ('found the command "nonsense"',
                    "audit, probe, fix, verdict, gate, pick, whois, why, events, diff, hosts, facts")),
    (["audti"], ("did you mean audit?",)),
    (["policy", "valdiate", "x"], ("did you mean validate?",)),
    (["policy"], ("A subcommand is required",)),
    (["audit"], ("give --hosts LIST, or --facts DIR",)),
    (["audit", "--hosts", "a", "--bogus"], ("--bogus",)),
    (["audit", "--hosts", "a", "--facts", "b"], ("--facts", "--hosts")),
    (["audit", "--hosts"], ("--hosts", "required")),
    (["audit", "--hosts", "a", "--budget", "soon"],
     ('--budget: found "soon", expected a duration from 100ms to 24h',)),
    (["audit", "--hosts", "a", "--budget", "60"], ('found "60", expected a duration',)),
    (["audit", "--hosts", "a", "--budget", "-5s"], ('found "-5s", expected a duration',)),
    (["audit", "--hosts", "a", "--budget", "0s"], ('found "0s", expected a duration',)),
    (["audit", "--hosts", "a", "--plan", "spiral"],
     ('--plan: found "spiral", expected none, pair, ring, sparse, rail, full or incast',)),
    (["audit", "--hosts", "a", "--plan", "sparse"],
     ('--plan: found "sparse", expected sparse:N with the number of peers for each port',)),
    (["audit", "--hosts", "a", "--plan", "full", "--no-probes"], ("--plan", "--no-probes")),
    (["audit", "--facts", "a", "--plan", "full"], ("--plan", "--facts")),
    (["audit", "--hosts", "a,b,c", "--plan", "pair"], ("exactly 2 hosts, and 3 were named",)),
    (["audit", "--hosts", "a,b,c", "--plan", "incast:3"],
     ("plan.degree: found 3, expected the number of senders to one receiver, from 2",)),
    (["audit", "--hosts", "gpu[001-600]", "--plan", "full"], ("full is 179700 pairs", "fewer hosts")),
    (["audit", "--hosts", "a", "--fail-on", "sight"],
     ('--fail-on: found "sight", expected blocks, degrades or advice',)),
    (["hosts", "--output", "xml"], ('--output: found "xml", expected table, json, csv, junit or nagios',)),
    (["hosts", "--color", "blue"], ('found "blue", expected auto, always or never',)),
    (["facts"], ("host", "required")),
    (["explain"], ("check", "required")),
    (["explain", "pfc.losless"], ('no check is called "pfc.losless"',
                                  "there is pfc.lossless-priority")),
)


def case_wrong_usage_is_64_and_names_it(cluster):
    for arguments, pieces in USAGE:
        said = cluster.cli(*arguments)
        expect.status(said, 64)
        expect.contains(said.err, *pieces)
        expect.equal(said.out, "")
    for program in (cluster.agent_program, cluster.controller_program):
        for arguments in ([], ["nonsense"], ["run", "--bogus"]):
            said = run(program, *arguments)
            expect.status(said, 64)
            assert said.err and not said.out, said


def case_a_configuration_that_is_wrong_is_78_and_named(cluster):
    config = cluster.directory / "wrong-client.yaml"
    said = run(cluster.roceready, "--config", "/nonexistent/client.yaml", "hosts")
    expect.status(said, 78)
    expect.contains(said.err, "/nonexistent/client.yaml: No such file or directory")
    said = run(cluster.roceready, "hosts")  # HOME is empty, and /etc as on this machine
    assert said.status in (78, 69, 77), said
    for text, pieces in (
            ("controler: a:1\n", (':1:1: found the unknown key "controler" (did you mean controller?)',)),
            ("controller: [\n", (f"{config}:",)),
            ("controller: 127.0.0.1\n", ('controller: "127.0.0.1": expected HOST:PORT',)),
            ("controller: 127.0.0.1:1\n", ("no TLS files configured", "--ca, --cert and --key")),
            ("controller: 10.1.2.3:1\ninsecure_loopback: true\n", ("not a loopback address",)),
            ("controller: 127.0.0.1:1\ntls: {ca: /x, certificate: /y, key: /z}\n",
             ('CA file "/x"', "No such file")),
            ("controller: 127.0.0.1:1\ntls: {ca: /x}\n", ("certificate", "key"))):
        config.write_text(text)
        said = run(cluster.roceready, "--config", config, "hosts")
        expect.status(said, 78)
        expect.contains(said.err, *pieces)


def case_a_name_the_controller_does_not_know(cluster):
    said = cluster.cli("facts", "nobody")
    expect.status(said, 64)
    expect.contains(said.err, "nobody: no agent of this name has connected")
    said = cluster.cli("audit", "--hosts", "host1", "--policy", "none")
    expect.status(said, 64)
    expect.contains(said.err, "there is no policy 'none'; there are: lab, lossless-dscp")


def case_json_is_json_whatever_happens(cluster):
    for arguments, status in (
            (["audit", "--hosts", "host1", "--no-probes"], 0),
            (["audit", "--hosts", "gpu[1-"], 64),
            (["audit", "--hosts", "host1", "--policy", "none"], 64),
            (["audit", "--hosts", "host1", "--bogus"], 64),
            (["nonsense"], 64),
            (["hosts"], 0),
            (["--controller", "127.0.0.1:1", "hosts"], 69),
            (["--controller", "127.0.0.1:1", "audit", "--hosts", "host1"], 69),
            (["--cert", "/nonexistent", "hosts"], 78),
            (["--config", "/nonexistent", "hosts"], 78),
            (["facts", "host1"], 0),
            (["facts", "nobody"], 64),
            (["checks"], 0),
            (["explain", "pfc.lossless-priority"], 0),
            (["explain", "nonsense"], 64),
            (["policy", "validate", cluster.policies / "lab.yaml"], 0),
            (["policy", "validate", "/nonexistent.yaml"], 78),
            (["audit", "--facts", "/nonexistent"], 64)):
        for flag in (["--output", "json"], ["--output=json"]):
            config = [] if "--config" in arguments else ["--config", cluster.client_config]
            said = run(cluster.roceready, *config, *arguments, *flag)
            expect.status(said, status)
            document = expect.valid_json(said.out)
            if "error" in document:
                expect.equal(document["error"]["exit_status"], status)
                expect.contains(said.err, document["error"]["message"])


def case_a_reader_that_goes_away_is_no_crash(cluster):
    for arguments in (["checks"], ["facts", "host1"], ["hosts"], ["--help"],
                      ["audit", "--hosts", "host1", "--no-probes"]):
        with subprocess.Popen([cluster.roceready, "--config", cluster.client_config, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.close()
            err = process.stderr.read().decode()
            status = process.wait(60)
        expect.equal((status, err), (0, ""), arguments)


def case_a_full_disk_is_said(cluster):
    with open("/dev/full", "w", encoding="ascii") as full:
        for arguments in (["checks"], ["hosts"], ["audit", "--hosts", "host1", "--no-probes"]):
            done = subprocess.run([cluster.roceready, "--config", cluster.client_config, *arguments],
                                  stdout=full, stderr=subprocess.PIPE, check=False)
            expect.equal(done.returncode, 70, arguments)
            expect.contains(done.stderr.decode(), "cannot write the result: No space left on device")
