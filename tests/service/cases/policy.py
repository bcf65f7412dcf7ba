# SPDX-License-Identifier: Apache-2.0
"""Mistakes in a policy: all of them with their place, and the old policy stays in force."""

import signal

import expect

BAD = """\
name: lab
intnet: {}
intent:
  roce_priority: 9
  roce_priority: 3
  mtu_bytes: nine thousand
  lossless_priorities: [3, 8]
"""
# Where, found, expected, hint: one line a mistake, in the order of the file.
MISTAKES = (
    ':2:1: found the unknown key "intnet" (did you mean intent?)',
    ":4:18: intent.roce_priority: found 9, expected a number from 0 to 7",
    ':5:3: intent: found the key "roce_priority" again, expected it once (first on line 4)',
    ':6:14: intent.mtu_bytes: found "nine thousand", expected a number from 1280 to 16384',
    ":7:28: intent.lossless_priorities[1]: found 8, expected a number from 0 to 7",
)


def case_validate_prints_every_mistake_with_its_place(cluster):
    path = cluster.directory / "bad.yaml"
    path.write_text(BAD)
    said = cluster.cli("policy", "validate", path)
    expect.status(said, 78)
    expect.equal(said.out.splitlines(), [f"{path}{mistake}" for mistake in MISTAKES])
    expect.equal(said.err, "")

    said = cluster.cli("policy", "validate", path, "--output", "json")
    expect.status(said, 78)
    document = expect.valid_json(said.out)
    expect.equal(document["valid"], False)
    expect.equal([(p["line"], p["column"]) for p in document["problems"]],
                 [(2, 1), (4, 18), (5, 3), (6, 14), (7, 28)])


def case_saved_facts_are_not_judged_by_a_wrong_policy(cluster):
    path = cluster.directory / "bad.yaml"
    path.write_text(BAD)
    facts = cluster.directory / "saved"
    facts.mkdir()
    said = cluster.cli("audit", "--facts", facts, "--policy", path)
    expect.status(said, 64)
    expect.contains(said.err, f"{facts} holds no *.json",
                    f"roceready-agent facts > {facts}/HOST.json")
    (facts / "host1.json").write_text((cluster.recorded_facts()))
    said = cluster.cli("audit", "--facts", facts, "--policy", path)
    expect.status(said, 78)
    expect.contains(said.err, *MISTAKES)
    expect.equal(said.out, "")


def digest_in_force(cluster):
    """The policy that an audit was judged by: its digest."""
    said = cluster.cli("audit", "--hosts", "host1", "--no-probes", "--output", "json")
    verdict = expect.valid_json(said.out)["verdict"]
    expect.equal(verdict["policy_name"], "lab")
    return verdict["policy_digest"]


def digest_of_file(cluster, path):
    said = cluster.cli("policy", "validate", path, "--output", "json")
    expect.status(said, 0)
    return expect.valid_json(said.out)["digest"]


def case_a_wrong_policy_is_not_taken_and_a_right_one_is(cluster):
    path = cluster.policies / "lab.yaml"
    good = path.read_text()
    before = digest_in_force(cluster)
    expect.equal(before, digest_of_file(cluster, path))
    try:
        path.write_text(BAD)
        mark = cluster.controller.mark()
        cluster.controller.send(signal.SIGHUP)
        line = cluster.controller.wait_for_log(r"level=error message=\"the policies stay[^\n]*",
                                               mark).group(0)
        # As a value of a log line: quotes escaped.
        expect.contains(line, *(f"{path}{m}".replace('"', '\\"') for m in MISTAKES))
        expect.equal(digest_in_force(cluster), before, "a wrong file changed the policy in force")

        path.write_text(good.replace("min_speed_mbps: 100000", "min_speed_mbps: 90000"))
        after = digest_of_file(cluster, path)
        assert after != before
        mark = cluster.controller.mark()
        cluster.controller.send(signal.SIGHUP)
        cluster.controller.wait_for_log(r"level=info message=\"policies read again\" policies=7",
                                        mark)
        expect.equal(digest_in_force(cluster), after, "a right file was not taken")
    finally:
        path.write_text(good)
        cluster.controller.send(signal.SIGHUP)


def case_a_controller_does_not_start_with_a_wrong_policy(cluster):
    policies = cluster.directory / "wrong-policies"
    policies.mkdir()
    (policies / "lab.yaml").write_text(BAD)
    said = cluster.try_controller(policy_directory=policies)
    expect.status(said, 78)
    expect.contains(said.err, 'message="cannot start"',
                    *(f"{policies}/lab.yaml{m}".replace('"', '\\"') for m in MISTAKES))


def case_what_is_learned_is_a_policy_its_hosts_meet(cluster):
    """From the controller's facts and from saved ones; a host without facts is named."""
    learned = cluster.cli("policy", "learn", "--hosts", "host[1-2]", "--name", "ours")
    expect.status(learned, 0)
    file = cluster.directory / "learned.yaml"
    file.write_text(learned.out)
    expect.status(cluster.cli("policy", "validate", file), 0)
    saved = cluster.directory / "learn-from"
    saved.mkdir(exist_ok=True)
    (saved / "host1.json").write_text(cluster.recorded_facts())
    again = cluster.cli("policy", "learn", "--facts", saved)
    expect.status(again, 0)
    expect.contains(again.out, "lossless_priorities: [3]")
    file.write_text(again.out)
    expect.status(cluster.cli("audit", "--facts", saved, "--policy", file), 0)

    silent = cluster.cli("policy", "learn", "--hosts", "host1,nobody")
    expect.status(silent, 64)
    expect.contains(silent.err, "nobody")
