# SPDX-License-Identifier: Apache-2.0
"""One controller and three agents on loopback, with certificates, policies and clients."""

import pathlib
import shutil

import expect
import rpc
from process import Process, free_ports, run, wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICIES = ROOT / "checks/policy/policies"
RECORDED_HOST = ROOT / "tests/hosts/lab-guest"
HOSTS = ("host1", "host2", "host3")


class Cluster:
    def __init__(self, directory, programs):
        self.directory = directory
        self.roceready = programs / "controller/cli/roceready"
        self.controller_program = programs / "controller/roceready-controller"
        self.agent_program = programs / "agent/roceready-agent"
        self.pki = directory / "pki"
        self.policies = directory / "policies"
        self.processes = []
        self.controller = None
        self.agents = {}
        self._schema = None

    # ---- setting up --------------------------------------------------------------------------

    def start(self):
        self.make_certificates()
        shutil.copytree(POLICIES, self.policies)
        self.start_controller()
        for host in HOSTS:
            self.agents[host] = self.start_agent(host)
        self.write_client_config()
        wait_for("all agents connected with facts", self.all_connected)

    def make_certificates(self):
        self.make("ca")
        self.make("controller", "127.0.0.1", "roceready-controller")
        self.make("host", *HOSTS)
        for role, names in (("viewer", ["guest"]), ("operator", ["sre"]), ("admin", ["boss"])):
            self.make("client", "--role", role, *names)

    def make(self, kind, *arguments, directory=None):
        """Certificates of `roceready-controller pki`, in the cluster's CA or another one."""
        made = run(self.controller_program, "pki", kind, "--directory", directory or self.pki,
                   *arguments)
        expect.status(made, 0)

    def controller_config(self, ports, **changes):
        """controller.yaml; None leaves a key out."""
        values = {
            "agent_listen": f"127.0.0.1:{ports[0]}",
            "api_listen": f"127.0.0.1:{ports[1]}",
            "rest_listen": f"127.0.0.1:{ports[2]}",
            "tls": self.tls("controller"),
            "state_directory": self.directory / "state-controller",
            "policy_directory": self.policies,
            "default_policy": "lab",
            "ping_interval": "1s",
            "log": "{level: debug}",
            **changes,
        }
        return "".join(f"{key}: {value}\n" for key, value in values.items() if value is not None)

    def try_controller(self, **changes):
        """A second controller with a wrong configuration: how it refuses to start."""
        path = self.directory / "other-controller.yaml"
        changes.setdefault("state_directory", self.directory / "state-other-controller")
        path.write_text(self.controller_config(free_ports(3), **changes))
        return run(self.controller_program, "run", "--config", path)

    def start_controller(self):
        # A port may be taken between our asking and the controller's listening.
        for _ in range(5):
            ports = self.agent_port, self.api_port, self.rest_port = free_ports(3)
            config = self.directory / "controller.yaml"
            config.write_text(self.controller_config(ports))
            self.controller = self.launch("controller",
                                          [self.controller_program, "run", "--config", config])
            wait_for("the controller started or ended",
                     lambda: "controller started" in self.controller.log()
                     or self.controller.status() is not None)
            if self.controller.status() is None:
                return
            self.processes.remove(self.controller)
        raise AssertionError(f"the controller does not start:\n{self.controller.log()}")

    def start_agent(self, name, config=None):
        """The agent of a host, playing the recorded one; `config` where it is a special one."""
        path = self.directory / f"agent-{name}.yaml"
        path.write_text(config or self.agent_config(name, self.tls(name)))
        return self.launch(f"agent-{name}", [self.agent_program, "run", "--config", path,
                                             "--root", self.host_like_the_recorded(name)])

    def host_like_the_recorded(self, name):
        """A copy of the recorded host1; other hosts have addresses of their own, by their last digit. All have
        one small fault: a verbs node that jobs cannot open."""
        folder = self.directory / f"root-{name}"
        if folder.exists():
            return folder
        shutil.copytree(RECORDED_HOST, folder, symlinks=True)
        (folder / "dev/infiniband/uverbs0").chmod(0o644)
        number = int(name[-1]) if name in HOSTS else 1
        for file in ("route.txt", "verbs.txt"):
            text = (folder / file).read_text()
            # Its IPv4 address, its MAC address, and the link-local address that is made of that.
            for value in ("0a4d0001", "525400770001", "505400fffe770001"):
                text = text.replace(value, f"{value[:-1]}{number}")
            (folder / file).write_text(text)
        return folder

    def agent_config(self, name, tls, endpoint=None, extra=""):
        return (f"controller: {endpoint or f'127.0.0.1:{self.agent_port}'}\n"
                f"tls: {tls}\n"
                f"state_directory: {self.directory / f'state-{name}'}\n"
                f"status_socket: {self.directory / f'{name}.sock'}\n"
                f"log: {{level: debug}}\n{extra}")

    def launch(self, name, arguments):
        process = Process(name, arguments, self.directory / f"{name}.log")
        self.processes.append(process)
        return process

    def retire(self, process):
        """Ends a process of one case."""
        process.stop()
        self.processes.remove(process)

    def tls(self, name, directory=None, ca=None):
        directory = directory or self.pki
        return (f"{{ca: {ca or directory / 'ca.crt'}, certificate: {directory / name}.crt, "
                f"key: {directory / name}.key}}")

    def write_client_config(self):
        self.client_config = self.directory / "client.yaml"
        self.client_config.write_text(f"controller: 127.0.0.1:{self.api_port}\n"
                                      f"tls: {self.tls('sre')}\n")

    @property
    def schema(self):
        if self._schema is None:
            self._schema = rpc.Schema(self.directory)
        return self._schema

    def recorded_facts(self):
        return (RECORDED_HOST / "facts.json").read_text()

    # ---- asking ------------------------------------------------------------------------------

    def cli(self, *arguments, **options):
        """`roceready` as the operator `sre`."""
        return run(self.roceready, "--config", self.client_config, *arguments, **options)

    def curl(self, path, *arguments, client="sre", **options):
        """The REST API; the HTTP status is the last line of the output."""
        return run("curl", "--silent", "--show-error", "--cacert", self.pki / "ca.crt",
                   "--cert", self.pki / f"{client}.crt", "--key", self.pki / f"{client}.key",
                   "--write-out", "\n%{http_code}", *arguments,
                   f"https://127.0.0.1:{self.rest_port}{path}", **options)

    def hosts(self):
        answer = self.cli("hosts", "--output", "json")
        if answer.status != 0:
            return {}
        return {row["host"]: row for row in expect.valid_json(answer.out).get("hosts", [])}

    def all_connected(self):
        rows = self.hosts()
        return all(rows.get(host, {}).get("state") == "HOST_STATE_CONNECTED" for host in HOSTS)

    def agent_status(self, name):
        return run(self.agent_program, "status", "--config", self.directory / f"agent-{name}.yaml")

    def sessions(self):
        """The session of each agent's stream, as the agent itself tells: a new stream, a new one."""
        found = {}
        for host in HOSTS:
            said = self.agent_status(host)
            expect.status(said, 0)
            found[host] = expect.matches(said.out, r"session ([0-9a-f]+)").group(1)
        return found

    # ---- ending ------------------------------------------------------------------------------

    def stop(self):
        for process in reversed(self.processes):
            process.stop()

    def print_logs(self):
        for process in self.processes:
            print(f"----- log of {process.name}, its end")
            print(process.log()[-6000:])

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)
