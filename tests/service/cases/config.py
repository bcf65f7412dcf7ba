# SPDX-License-Identifier: Apache-2.0
"""`config check` tells what would keep a service from starting, and `run` says the same."""

import expect
from process import free_ports, run


def checked(program, path, status, *pieces):
    """`config check` and `run` of one file: the same status, and the same words."""
    said = run(program, "config", "check", path)
    expect.status(said, status)
    expect.contains(said.err, *pieces)
    expect.equal(said.out, "")
    started = run(program, "run", "--config", path)
    expect.status(started, status)
    expect.contains(started.err.replace('\\"', '"'), *pieces)


def case_of_the_agent(cluster):
    said = run(cluster.agent_program, "config", "check", cluster.directory / "agent-host1.yaml")
    expect.status(said, 0)
    expect.contains(said.out, "agent-host1.yaml is valid: host host1, controller 127.0.0.1:")

    path = cluster.directory / "wrong-agent.yaml"
    good = cluster.agent_config("wrong", cluster.tls("host1"))
    for config, status, pieces in (
            (good + "hots: a\n", 78, (f'{path}:6:1: found the unknown key "hots" (did you mean host?)',)),
            (good + "collect_interval: 1ms\nsource_deadline: never\n", 78,
             (f"{path}:6:19: collect_interval: found", f"{path}:7:18: source_deadline:")),
            (good.replace(f"127.0.0.1:{cluster.agent_port}", "nowhere"), 78,
             (f'{path}: controller: "nowhere": expected HOST:PORT',)),
            (good.replace("host1.key", "host2.key"), 78, ("does not belong to certificate",)),
            (good.replace("host1.crt", "none.crt"), 78, ("none.crt", "No such file"))):
        path.write_text(config)
        checked(cluster.agent_program, path, status, *pieces)
    checked(cluster.agent_program, "/nonexistent/agent.yaml", 78,
            "/nonexistent/agent.yaml: No such file")


def case_of_the_controller(cluster):
    said = run(cluster.controller_program, "config", "check",
               cluster.directory / "controller.yaml")
    expect.status(said, 0)
    expect.contains(said.out, "controller.yaml is valid: 7 policies, default lab")

    path = cluster.directory / "wrong-controller.yaml"
    for changes, status, pieces in (
            ({"rest_lisen": "x"}, 78, ('found the unknown key "rest_lisen" (did you mean rest_listen?)',)),
            ({"default_policy": "none"}, 78,
             ('default_policy: there is no policy "none"', str(cluster.policies))),
            ({"policy_directory": "/nonexistent"}, 78, ("/nonexistent: No such file",)),
            ({"lease": "2s", "ping_interval": "5s"}, 78, ("lease: found 2 s",)),
            ({"rest_listen": "'127.0.0.1'"}, 78, ("rest_listen:", "expected HOST:PORT")),
            ({"tls": None}, 78, ("tls: missing", "`roceready-controller pki`")),
            ({"log": "{level: loud}"}, 78, ("log.level: found", "error, warn, info or debug"))):
        changes.setdefault("state_directory", cluster.directory / "state-wrong-controller")
        path.write_text(cluster.controller_config(free_ports(3), **changes))
        checked(cluster.controller_program, path, status, *pieces)


def case_a_second_service_on_the_same_ports_or_state_says_so(cluster):
    said = cluster.try_controller(agent_listen=f"127.0.0.1:{cluster.agent_port}")
    expect.status(said, 69)
    expect.contains(said.err, f"cannot listen for agents on 127.0.0.1:{cluster.agent_port}",
                    "is the address in use?")
    said = cluster.try_controller(state_directory=cluster.directory / "state-controller")
    assert said.status in (69, 78), said
    expect.contains(said.err, "state-controller", "another")
    said = run(cluster.agent_program, "run", "--config", cluster.directory / "agent-host1.yaml")
    expect.status(said, 69)
    expect.contains(said.err, "another agent runs on this host")
