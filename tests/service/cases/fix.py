# SPDX-License-Identifier: Apache-2.0
"""`roceready fix`: what it prints is sound for a shell, and runs on each host what is meant for it."""

import json
import shutil
import subprocess

import expect
from process import run

# The kernel allows nearly anything in a name of 15 bytes.
HOSTILE = "e'$(x)`y`;z|&"
POLICY = "lossless-dscp.yaml"


def saved_fleet(cluster, name):
    """Three recorded hosts without PFC, of which the third's net device has a hostile name."""
    directory = cluster.directory / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for host in ("gpu1", "gpu2", "gpu3"):
        facts = json.loads(cluster.recorded_facts())
        facts["facts"]["identity"]["host"] = host
        for device in facts["facts"]["net_devices"]:
            if device["name"] == "eth0":
                device["dcb"]["pfc"]["enabled_priorities"] = []
                if host == "gpu3":
                    device["name"] = HOSTILE
        (directory / f"{host}.json").write_text(json.dumps(facts))
    return directory


def fix(cluster, directory, *arguments):
    said = run(cluster.roceready, "fix", "--facts", directory, "--policy",
               cluster.policies / POLICY, *arguments)
    expect.status(said, 0)
    return said.out


def expect_sound(script, path):
    path.write_text(script)
    expect.status(run("bash", "-n", path), 0)
    expect.status(run("dash", "-n", path), 0)
    expect.status(run("shellcheck", "--shell=sh", "--severity=warning", path), 0)


class Tools:
    """A directory with nothing but what the script itself needs, and stand-ins that write down how
    they are called."""

    def __init__(self, directory, *names):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        self.directory, self.log = directory, directory / "calls"
        for name in ("sh", "tr", "uname"):
            (directory / name).symlink_to(shutil.which(name))
        for name in names:
            tool = directory / name
            tool.write_text(f"#!/bin/sh\nfor word; do printf '[%s]' \"$word\"; done >> {self.log}\n"
                            f"echo >> {self.log}\n[ ! -e {directory}/fail ]\n")
            tool.chmod(0o755)

    def run(self, script, *arguments):
        self.log.write_text("")
        done = subprocess.run(["/bin/sh", script, *arguments], env={"PATH": str(self.directory)},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              cwd=self.directory)
        return done.returncode, self.log.read_text().splitlines(), done.stdout.decode()


def case_scripts_pass_the_shells_and_shellcheck(cluster):
    directory = saved_fleet(cluster, "fix-sound")
    for form in ("sh", "clush"):
        expect_sound(fix(cluster, directory, "--format", form), cluster.directory / f"fix.{form}")


def case_a_host_runs_its_own_lines_and_no_name_becomes_a_command(cluster):
    directory = saved_fleet(cluster, "fix-run")
    script = cluster.directory / "fix-run.sh"
    plan = fix(cluster, directory)
    number = next(line.split(".")[0].removeprefix("# ") for line in plan.splitlines()
                  if line.endswith(". PFC on no priority"))
    script.write_text(fix(cluster, directory, "--cause", number))
    tools = Tools(cluster.directory / "fix-tools", "dcb", "x", "y", "z", "clush")
    plain = "[pfc][set][dev][eth0][prio-pfc][3:on]"
    for name in ("gpu1", "gpu2", "GPU2.lab.example"):
        expect.equal(tools.run(script, name)[:2], (0, [plain]), name)
    hostile = f"[pfc][set][dev][{HOSTILE}][prio-pfc][3:on]"
    expect.equal(tools.run(script, "gpu3")[:2], (0, [hostile]))
    status, calls, out = tools.run(script, "gpu4")
    expect.equal((status, calls), (0, []))
    expect.contains(out, "nothing here is for this host")
    (tools.directory / "fail").touch()
    expect.equal(tools.run(script, "gpu1")[0], 1)
    (tools.directory / "fail").unlink()

    script.write_text(fix(cluster, directory, "--cause", number, "--format", "clush"))
    quoted = HOSTILE.replace("'", "'\\''")
    expect.equal(tools.run(script)[1],
                 ["[-w][gpu[1-2]][--][dcb pfc set dev eth0 prio-pfc 3:on]",
                  f"[-w][gpu3][--][dcb pfc set dev '{quoted}' prio-pfc 3:on]"])


def case_an_audit_of_the_controller_is_mended_by_its_name(cluster):
    said = cluster.cli("audit", "--hosts", "host[1-3]", "--no-probes")
    audit = expect.matches(said.out, r"^audit +(a\d+-\d+)\b").group(1)
    number = expect.matches(said.out, r"^! (\d+) mode 0644").group(1)
    fixed = cluster.cli("fix", f"{audit}/{number}", "--format", "clush")
    expect.status(fixed, 0)
    expect.contains(fixed.out, f"audit {audit}", "# until reboot",
                    "clush -w 'host[1-3]' -- 'chmod 0666 /dev/infiniband/uverbs0'")
    for arguments, pieces in (
            ([f"{audit}/99"], ("no root cause has the number 99",)),
            ([f"{audit}/x"], (f'found "{audit}/x", expected an audit',)),
            (["a999-1"], ("a999-1",)),
            ([], ("give an audit, such as a1-7, or --facts DIR",)),
            ([audit, "--facts", "x"], ("--facts",)),
            ([audit, "--format", "perl"], ('found "perl", expected sh, clush or ansible',))):
        refused = cluster.cli("fix", *arguments)
        expect.status(refused, 64)
        expect.contains(refused.err, *pieces)
        expect.equal(refused.out, "")


def case_an_audits_json_names_the_audit_that_fix_takes(cluster):
    said = cluster.cli("audit", "--hosts", "host1", "--no-probes", "--output", "json")
    audit_id = json.loads(said.out)["audit_id"]
    expect.status(cluster.cli("fix", audit_id), 0)
