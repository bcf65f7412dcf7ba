# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document, as it is served and printed."""

import re

import expect
from process import run

PATH = "/v1/openapi.json"


def fetch(cluster, *arguments, client="guest"):
    """HTTP status, header, body."""
    said = cluster.curl(PATH, "--dump-header", "-", *arguments, client=client)
    expect.status(said, 0)
    header, rest = said.out.replace("\r\n", "\n").split("\n\n", 1)
    body, status = rest.rsplit("\n", 1)
    return int(status), header, body


def case_is_printed_as_it_is_served_to_any_certificate(cluster):
    printed = run(cluster.controller_program, "openapi")
    expect.status(printed, 0)
    document = expect.valid_json(printed.out)
    expect.equal(document["openapi"], "3.1.0")
    methods = {method.name for method in cluster.schema.fleet_methods()}
    expect.equal({operation["operationId"] for verbs in document["paths"].values()
                  for operation in verbs.values()}, methods)
    for client in ("guest", "host1"):  # a host's certificate has no role
        status, header, body = fetch(cluster, client=client)
        expect.equal(status, 200)
        expect.matches(header, "(?i)^content-type: application/json$")
        expect.equal(expect.valid_json(body), document)


def case_is_sent_once_to_who_keeps_it(cluster):
    _, header, _ = fetch(cluster)
    tag = expect.matches(header, '(?i)^etag: ("[0-9a-f]+")$').group(1)
    expect.matches(header, "(?i)^cache-control: private, no-cache$")
    status, header, body = fetch(cluster, "--header", f"If-None-Match: {tag}")
    expect.equal((status, body), (304, ""))
    expect.matches(header, f"(?i)^etag: {tag}$")
    expect.absent(header.lower(), "\ncontent-length", "\ncontent-type")
    expect.equal(fetch(cluster, "--header", 'If-None-Match: "other"')[0], 200)


def case_takes_get_and_head(cluster):
    status, header, _ = fetch(cluster, "--request", "POST")
    expect.equal(status, 405)
    expect.matches(header, "(?i)^allow: GET, HEAD, OPTIONS$")
    status, header, body = fetch(cluster, "--request", "OPTIONS")
    expect.equal((status, body), (204, ""))
    expect.matches(header, "(?i)^allow: GET, HEAD, OPTIONS$")
    expect.equal(fetch(cluster, "--header", "Accept: text/html")[0], 406)


def case_roles_are_as_it_says(cluster):
    """No question is right, so that nothing happens: refused for its role, or for what it asks."""
    document = expect.valid_json(fetch(cluster)[2])
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            arguments = ["--json", "{}"] if "requestBody" in operation else []
            path_of_nothing = re.sub(r"\{\w+\}", "nobody", path)
            def refused(client):
                said = cluster.curl(path_of_nothing, "--request", verb.upper(), *arguments,
                                    client=client)
                return said.out.endswith("\n403")
            expect.equal([refused(client) for client in ("host1", "guest", "sre")],
                         [True, operation["x-roceready-role"] == "operator", False],
                         operation["operationId"])
