# SPDX-License-Identifier: Apache-2.0
"""Bad requests to the REST API: a problem document that says what, where and what to do."""

import json

import expect

AUDITS = ("--request", "POST", "/v1/audits")
AS_JSON = ("--header", "Content-Type: application/json")
# curl's arguments (the last is the path), the HTTP status, and what the problem says.
BAD = (
    (("/v1/nonsense",), 404, ("there is no /v1/nonsense", "/v1/hosts")),
    (("/",), 404, ("there is no /",)),
    (("/v1/hosts/host1/nonsense",), 404, ("there is no /v1/hosts/host1/nonsense",)),
    (("--request", "DELETE", "/v1/hosts"), 405, ("/v1/hosts takes GET, HEAD",)),
    (("--request", "PUT", "/v1/audits"), 405, ("/v1/audits takes POST, GET, HEAD",)),
    (("/v1/audits/nonsense",), 400, ("'nonsense' is no audit id; one looks like a1-1",)),
    (("/v1/audits/a999-1",), 404, ("there is no audit a999-1",)),
    (("/v1/audits/a1-999999/events",), 404, ("there is no audit a1-999999",)),
    (("/v1/hosts/nobody",), 404, ("nobody: no agent of this name has connected",)),
    (("/v1/hosts/nobody/facts",), 404, ("nobody: no agent of this name has connected",)),
    (("/v1/checks/pfc.losless",), 404, ("there is no check 'pfc.losless'", "/v1/checks")),
    (("/v1/hosts?colour=red",), 400,
     ('unknown parameter "colour"', "there are: hosts, page_size, page_token")),
    (("/v1/hosts?page_size=many",), 400, ('parameter page_size: "many" is not a uint32',)),
    (("/v1/hosts?page_size=-1",), 400, ('parameter page_size: "-1" is not a uint32',)),
    (("/v1/hosts?page_token=x",), 400, ("page_token",)),
    (("/v1/hosts?hosts=%zz",), 400, ("the query string is not well formed",)),
    (("/v1/hosts/host1/facts?with_counters=maybe",), 400,
     ('parameter with_counters: "maybe" is not a bool',)),
    (("/v1/hosts/host1/facts?read_mask=nonsense",), 400,
     ("read_mask: 'nonsense' is no path of HostFacts",)),
    (("/v1/hosts?hosts=%ff%fe",), 400,
     ("parameter hosts: byte 1 of it is not printable UTF-8 text",)),
    (("--header", "Accept: text/html", "/v1/hosts"), 406,
     ("/v1/hosts answers application/json", "`Accept: text/html`")),
    (("--header", "Accept: application/json", "/v1/audits/a1-1/events"), 406,
     ("/v1/audits/a1-1/events answers text/event-stream",)),
    (("--data", "hosts=host1", "/v1/audits"), 415,
     ("said to be application/x-www-form-urlencoded",
      "send the header `Content-Type: application/json`")),
    (("--header", "Content-Type:", "--data", "{}", "/v1/audits"), 415, ("said to be nothing",)),
    (("/v1/audits/a1-1/findings?statuses=PERHAPS",), 400,
     ('parameter statuses: "PERHAPS" is not a', "CHECK_STATUS_FAIL")),
)
# A body, the HTTP status, and what the problem says.
BAD_AUDITS = (
    ('{"hosts": "host1"', 400, ("the body is not a CreateAuditRequest in JSON",)),
    ("hosts=host1", 400, ("the body is not a CreateAuditRequest in JSON",)),
    ("\xff\xfe", 400, ("the body is not a CreateAuditRequest in JSON",)),
    ("[]", 400, ("the body is not a CreateAuditRequest in JSON",)),
    ("[" * 5000, 400, ("the body is not a CreateAuditRequest in JSON",)),
    ('{"host": "host1"}', 400, ("host",)),
    ('{"hosts": ["host1"]}', 400, ("hosts",)),
    ('{"hosts": "gpu[1-"}', 400, ("host list, column 4: this '[' is never closed",)),
    ("{}", 400, ("host list, column 1: no host name found",)),
    ('{"hosts": "host1", "policy": "none"}', 404,
     ("there is no policy 'none'; there are: lab, lossless-dscp",)),
    ('{"hosts": "host1", "plan": {"kind": "PLAN_KIND_SPIRAL"}}', 400, ("PLAN_KIND_SPIRAL",)),
    ('{"hosts": "host1", "plan": {"kind": "PLAN_KIND_SPARSE"}}', 400,
     ("plan.degree: found 0, expected the number of peers",)),
    ('{"hosts": "host[1-4]", "plan": {"kind": "PLAN_KIND_INCAST", "degree": 4}}', 400,
     ("plan.degree: found 4, expected the number of senders to one receiver",)),
    ('{"hosts": "host1", "timeout": "soon"}', 400, ("timeout",)),
    ('{"hosts": "host1", "timeout": "-5s"}', 400, ("timeout is negative",)),
)


def problem_of(cluster, arguments, http_status, pieces, **options):
    *flags, path = arguments
    said = cluster.curl(path, "--dump-header", "-", *flags, **options)
    expect.status(said, 0)
    header, rest = said.out.replace("\r\n", "\n").split("\n\n", 1)
    while header.startswith("HTTP/1.1 100"):
        header, rest = rest.split("\n\n", 1)
    body, found = rest.rsplit("\n", 1)
    expect.equal(found, str(http_status), said)
    expect.matches(header, "(?i)^content-type: application/problem\\+json$")
    problem = expect.valid_json(body)
    expect.equal(set(problem), {"type", "title", "status", "detail"})
    expect.equal(problem["type"], f"roceready://problem/{problem['title']}")
    expect.equal(problem["status"], http_status)
    expect.contains(problem["detail"], *pieces)
    return header, problem


def case_bad_requests(cluster):
    cluster.cli("audit", "--hosts", "host1", "--no-probes")  # so that there is an audit a1-1
    for arguments, http_status, pieces in BAD:
        header, _ = problem_of(cluster, arguments, http_status, pieces)
        if http_status == 405:
            expect.matches(header, "(?i)^allow: .*, OPTIONS$")


def case_bad_bodies(cluster):
    for body, http_status, pieces in BAD_AUDITS:
        problem_of(cluster, (*AS_JSON, "--data-binary", "@-", *AUDITS), http_status, pieces,
                   stdin=body.encode("latin-1"))


def case_huge_bodies_and_headers(cluster):
    body = json.dumps({"hosts": "a" * 3_000_000}).encode()
    for expectation in ("Expect: 100-continue", "Expect:"):
        problem_of(cluster,
                   (*AS_JSON, "--header", expectation, "--data-binary", "@-", *AUDITS), 413,
                   ("the body has more than 1048576 bytes",), stdin=body)
    problem_of(cluster, ("--header", "X-Long: " + "a" * 60_000, "/v1/hosts"), 431,
               ("the header has more than 16384 bytes",))


def case_what_is_no_http(cluster):
    problem_of(cluster, ("--request", "G\x01T", "/v1/hosts"), 400,
               ("this is no HTTP/1.1 request",))


def answer(cluster, *arguments):
    """HTTP status, header and body."""
    said = cluster.curl(arguments[-1], "--dump-header", "-", *arguments[:-1])
    expect.status(said, 0)
    header, rest = said.out.replace("\r\n", "\n").split("\n\n", 1)
    body, status = rest.rsplit("\n", 1)
    return int(status), header, body


def case_options_and_head(cluster):
    for path, takes in (("/v1/hosts", "GET, HEAD, OPTIONS"),
                        ("/v1/audits", "POST, GET, HEAD, OPTIONS"),
                        ("/v1/audits/a1-1/cancel", "POST, OPTIONS"),
                        ("/healthz", "GET, HEAD, OPTIONS")):
        status, header, body = answer(cluster, "--request", "OPTIONS", path)
        expect.equal((status, body), (204, ""), path)
        expect.matches(header, f"(?i)^allow: {takes}$")
    cluster.cli("audit", "--hosts", "host1", "--no-probes")
    for path in ("/v1/hosts", "/v1/checks", "/v1/audits/a1-1/events"):
        status, header, body = answer(cluster, "--head", path)
        expect.equal((status, body.strip()), (200, ""), path)
        if path != "/v1/audits/a1-1/events":
            expect.matches(header, r"(?i)^content-length: [1-9]\d*$")
    expect.equal(answer(cluster, "--head", "/v1/hosts/nobody")[0], 404)


def case_what_has_not_changed_is_not_sent_again(cluster):
    cluster.cli("audit", "--hosts", "host1", "--no-probes")
    for path in ("/v1/checks", "/v1/audits/a1-1", "/v1/audits/a1-1/findings"):
        status, header, body = answer(cluster, path)
        expect.equal(status, 200)
        tag = expect.matches(header, '(?i)^etag: ("[0-9a-f]+")$').group(1)
        again = ("--header", f"If-None-Match: {tag}", path)
        expect.equal(answer(cluster, *again)[::2], (304, ""), path)
        expect.equal(answer(cluster, "--head", *again)[0], 304, path)
        expect.equal(answer(cluster, "--header", 'If-None-Match: "other"', path)[::2], (200, body))
    _, header, _ = answer(cluster, "--json", "{}", "/v1/audits/a1-1/cancel")
    expect.absent(header.lower(), "etag")


def case_an_idempotency_key_is_the_request_id(cluster):
    def create(key, body):
        return cluster.curl("/v1/audits", "--header", f"Idempotency-Key: {key}", "--json", body)
    body = '{"hosts": "host1", "plan": {"kind": "PLAN_KIND_NONE"}}'
    audits = [expect.valid_json(create(key, body).out.rsplit("\n", 1)[0])["audit"]
              for key in ("8e03978e", '"8e03978e"')]
    expect.equal({audit["request"]["request_id"] for audit in audits}, {"8e03978e"})
    expect.equal(len({audit["audit_id"] for audit in audits}), 1)
    key = ("--header", "Idempotency-Key: 8e03978e", "--json")
    problem_of(cluster, (*key, body.replace("host1", "host2"), "/v1/audits"), 409,
               ("request id '8e03978e' was used for another audit",))
    problem_of(cluster, (*key, '{"request_id": "other", "hosts": "host1"}', "/v1/audits"), 400,
               ('request_id is "other", and the header Idempotency-Key says "8e03978e"',))


def case_a_request_id_makes_one_audit(cluster):
    body = '{"request_id": "once", "hosts": "host1", "plan": {"kind": "PLAN_KIND_NONE"}}'
    ids = set()
    for _ in range(3):
        said = cluster.curl("/v1/audits", "--json", body)
        ids.add(expect.valid_json(said.out.rsplit("\n", 1)[0])["audit"]["audit_id"])
    expect.equal(len(ids), 1)
    problem_of(cluster, ("--json", body.replace("host1", "host2"), "/v1/audits"), 409,
               ("request id 'once' was used for another audit", *ids))
