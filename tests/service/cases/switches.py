# SPDX-License-Identifier: Apache-2.0
"""Switches' configurations: given to the controller, listed, judged, taken away; and files that are none."""

import pathlib

import expect

SONIC = pathlib.Path(__file__).resolve().parents[2] / "switches/sonic"
NAME = "str-s6000-acs-14"


def case_a_configuration_is_imported_listed_judged_and_removed(cluster):
    said = cluster.cli("switch", "import", SONIC / "tor-40g.json", "--policy", "lossless-dscp")
    # Stock SONiC maps lead the policy's DSCP 26 to a lossy class.
    expect.status(said, 2)
    expect.contains(said.out, NAME, "DSCP 26 TC 1, queue 1, group 0, LOSSY", "NOT READY")
    try:
        expect.contains(cluster.cli("switch", "list").out, NAME)
        rows = expect.valid_json(cluster.cli("switch", "list", "--output", "json").out)
        expect.contains(str(rows), NAME)
        audit = cluster.cli("audit", "--hosts", "host[1-3]", "--no-probes", "--output", "json")
        expect.contains(audit.out, "switch.roce-class")
    finally:
        removed = cluster.cli("switch", "remove", NAME)
    expect.status(removed, 0)
    expect.absent(cluster.cli("switch", "list").out, NAME)
    again = cluster.cli("switch", "remove", NAME)
    assert again.status != 0, again
    expect.contains(again.err, f"no switch '{NAME}' was imported")


def case_a_file_that_is_no_configuration_is_told_and_nothing_is_kept(cluster):
    bad = cluster.directory / "bad-switch.json"
    for text in ("", "{", "[]", "null", '{"PORT": 7}', "\x00\x01", '{"PORT": {"Ethernet0": []}}'):
        bad.write_text(text)
        said = cluster.cli("switch", "import", bad)
        assert said.status != 0, (text, said)
        expect.contains(said.err, str(bad))
        expect.absent(said.err, "Traceback")
    said = cluster.cli("switch", "import", cluster.directory / "not-there.json")
    expect.status(said, 64)
    expect.contains(said.err, "not-there.json")
    expect.absent(cluster.cli("switch", "list").out, "bad-switch")
