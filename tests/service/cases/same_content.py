# SPDX-License-Identifier: Apache-2.0
"""Every call of the fleet API answers the same over gRPC and over REST."""

import copy
import re
import urllib.parse

import expect
import rpc
from process import wait_for

# What tells the moment of asking: compared for being there, not for its value.
AGES = {"fact_age", "age", "counters_age", "oldest_fact", "oldest_probe", "evaluated_at"}

# In the form of facts; what it lacks is judged too.
SWITCH = {"name": "same-leaf", "reading": {"outcome": "OUTCOME_OK", "locator": "same-leaf.json"},
          "identity": {"hardware": "Test-32x100G"},
          "ports": [{"name": "Ethernet0", "mtu_bytes": 9100, "speed_mbps": 100000}]}
# Called before each time that the call itself is.
BEFORE = {"RemoveSwitch": ("ImportSwitches", {"switches": [SWITCH]})}

# One row for each call: fields of the request. ID is an audit that has ended.
ID = object()
CALLS = {
    "ListHosts": [{}, {"hosts": "host[1-3],nobody"}, {"page_size": 2}],
    "GetHost": [{"host": "host2"}],
    "GetHostFacts": [{"host": "host1"}, {"host": "host1", "with_counters": True},
                     {"host": "host3", "read_mask": "kernel,net_devices"}],
    "CreateAudit": [{"request_id": "same-4711", "hosts": "host[1-3],nobody",
                     "plan": {"kind": "PLAN_KIND_NONE"}}],
    "GetAudit": [{"audit_id": ID}],
    "ListAudits": [{}, {"page_size": 1}],
    "CancelAudit": [{"audit_id": ID, "reason": "too late: it has ended"}],
    "WatchAudit": [{"audit_id": ID}, {"audit_id": ID, "after_sequence": 2}],
    "ListFindings": [{"audit_id": ID}, {"audit_id": ID, "hosts": "nobody"},
                     {"audit_id": ID, "statuses": ["CHECK_STATUS_UNKNOWN"]},
                     {"audit_id": ID, "page_size": 1}],
    "ListProbeResults": [{"audit_id": ID}, {"audit_id": ID, "skip": 2}],
    "StopProbes": [{"audit_id": ID, "reason": "it has ended"}, {"all": True}],
    "GetVerdict": [{"hosts": "host[1-3]"}, {"hosts": "host2", "max_age": "1s"},
                   {"hosts": "host1,host3", "policy": "lossless-dscp", "max_probe_age": "60s"}],
    "WhoIs": [{"what": "host1"}, {"what": "192.0.2.250"}],
    "ListEvents": [{}, {"hosts": "nobody", "max_age": "60s"}],
    "ListChecks": [{}],
    "GetCheck": [{"check_id": "pfc.lossless-priority"}],
    "ListSwitches": [{}, {"page_size": 1}],
    "ImportSwitches": [{"switches": [SWITCH]}, {"switches": [SWITCH], "policy": "lossless-dscp"}],
    "RemoveSwitch": [{"name": SWITCH["name"]}],
    # No answer is like the one before: see MISTAKES.
    "SetMaintenance": [],
    "EndMaintenance": [{"hosts": "nobody"}],
    "ListMaintenance": [{}, {"page_size": 1}],
}
# Wrong requests: the same code and the same words.
MISTAKES = {
    "ListHosts": [{"hosts": "gpu[1-"}, {"page_token": "nonsense"}],
    "GetHost": [{"host": "nobody"}],
    "GetHostFacts": [{"host": "nobody"}, {"host": "host1", "read_mask": "no_such_field"}],
    "CreateAudit": [{"hosts": ""}, {"hosts": "host1", "policy": "nonsense"},
                    {"hosts": "host1", "timeout": "-1s"},
                    {"hosts": "host1", "job_environment": "NCCL_IB_TC=4711"}],
    "GetAudit": [{"audit_id": "nonsense"}, {"audit_id": "a999999-1"}],
    "CancelAudit": [{"audit_id": "a999999-1"}],
    "WatchAudit": [{"audit_id": "nonsense"}],
    "ListFindings": [{"audit_id": "a999999-1"}, {"audit_id": ID, "hosts": "a,,b"}],
    "ListProbeResults": [{"audit_id": "nonsense"}],
    "StopProbes": [{}, {"audit_id": ID, "all": True}, {"audit_id": "a999999-1"},
                   {"all": True, "reason": "x" * 501}],
    "GetVerdict": [{"hosts": ""}, {"hosts": "host1", "policy": "nonsense"},
                   {"hosts": "host1", "max_age": "-1s"}, {"hosts": "host1", "wait": "2000s"}],
    "WhoIs": [{"what": ""}, {"what": "host[1-2]"}],
    "ListEvents": [{"hosts": "gpu[1-"}, {"page_token": "nonsense"}, {"max_age": "-1s"}],
    "GetCheck": [{"check_id": "no.such-check"}],
    "ImportSwitches": [{}, {"switches": [{"name": "leaf8"}]}],
    "ListSwitches": [{"page_token": "nonsense"}],
    "RemoveSwitch": [{"name": "nobody"}],
    "SetMaintenance": [{}, {"hosts": "*", "reason": "r", "duration": "60s"}, {"hosts": "host1", "reason": "r"}],
    "EndMaintenance": [{}, {"hosts": "host[1-"}],
    "ListMaintenance": [{"page_token": "nonsense"}],
}


AGE_IN_WORDS = re.compile(r"(not heard for) [^:]+")


def without_ages(value):
    if isinstance(value, str):
        return AGE_IN_WORDS.sub(r"\1 some time", value)
    if isinstance(value, list):
        return [without_ages(item) for item in value]
    if isinstance(value, dict):
        return {key: "some time" if key in AGES and value is not None else without_ages(item)
                for key, item in value.items()}
    return value


class Api:
    """Both ways to ask one controller."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.schema = cluster.schema
        self.tls = rpc.credentials(cluster.pki, "sre")
        self.methods = {method.name: method for method in self.schema.fleet_methods()}
        said = cluster.curl("/v1/openapi.json")
        self.paths = expect.valid_json(said.out.rsplit("\n", 1)[0])["paths"]

    def message(self, name, fields):
        request = self.schema.message_type(self.methods[name].input_type)()
        fields = dict(fields)
        mask = fields.pop("read_mask", "")
        rpc.json_format.ParseDict(fields, request)
        if mask:  # by the fields' original names, as both APIs take it
            request.read_mask.paths.extend(mask.split(","))
        return request

    def by_grpc(self, name, fields):
        """(error code, what was said) or (None, content)."""
        method = self.methods[name]
        response_type = self.schema.message_type(method.output_type)
        try:
            answer = rpc.call(self.cluster.api_port, self.tls, method,
                              self.message(name, fields), response_type)
        except rpc.grpc.RpcError as error:
            return error.code().name, error.details()
        if isinstance(answer, list):
            return None, [rpc.as_json(event) for event in answer]
        return None, rpc.as_json(answer)

    def by_rest(self, name, fields):
        verb, template, has_body = self.route(name)
        fields = copy.deepcopy(fields)
        path = re.sub(r"\{(\w+)\}", lambda m: urllib.parse.quote(fields.pop(m.group(1)), safe=""),
                      template)
        arguments = ["--request", verb]
        if has_body:
            arguments += ["--json", rpc.json_format.json.dumps(fields)]
        elif fields:
            path += "?" + urllib.parse.urlencode(
                {k: str(v).lower() if isinstance(v, bool) else v for k, v in fields.items()},
                doseq=True)
        said = self.cluster.curl(path, *arguments)
        expect.status(said, 0)
        body, http_status = said.out.rsplit("\n", 1)
        expect.contains(self.paths[template][verb.lower()]["responses"], http_status)
        if http_status != "200":
            problem = expect.valid_json(body)
            expect.equal(str(problem["status"]), http_status)
            return problem["title"], problem["detail"]
        if self.methods[name].name == "WatchAudit":
            return None, [expect.valid_json(line.removeprefix("data: "))
                          for line in body.splitlines() if line.startswith("data: ")]
        return None, expect.valid_json(body)

    def route(self, name):
        """Verb, path and whether there is a body: the http option of the method."""
        for extension, rule in self.methods[name].GetOptions().ListFields():
            if extension.full_name == "google.api.http":
                verb = rule.WhichOneof("pattern")
                return verb.upper(), getattr(rule, verb), rule.body == "*"
        raise AssertionError(f"{name} has no http option")


def at_rest(api, name, fields):
    """What both say while nothing changes: gRPC is asked before and after. None where it moved."""
    answers = []
    for ask in (api.by_grpc, api.by_rest, api.by_grpc):
        if name in BEFORE:
            code, said = ask(*BEFORE[name])
            assert code is None, f"before {name}: {code} {said}"
        answers.append(ask(name, fields))
    before, by_rest, after = answers
    for code, said in (before, by_rest, after):
        assert code is None, f"{name} {fields}: {code} {said}"
    before, by_rest, after = (without_ages(said) for _, said in (before, by_rest, after))
    return (before, by_rest) if before == after else None


def with_id(fields, audit_id):
    return {key: audit_id if value is ID else value for key, value in fields.items()}


def case_every_call_answers_the_same_over_both(cluster):
    api = Api(cluster)
    expect.equal(set(CALLS), set(api.methods), "the table has every call of the service")
    created = api.by_rest("CreateAudit", CALLS["CreateAudit"][0])
    assert created[0] is None, created
    audit_id = created[1]["audit"]["audit_id"]
    api.by_grpc("WatchAudit", {"audit_id": audit_id})  # to its end
    for name, requests in CALLS.items():
        for fields in requests:
            fields = with_id(fields, audit_id)
            grpc_says, rest_says = wait_for(f"{name} {fields} stands still",
                                            lambda: at_rest(api, name, fields))
            expect.equal(rest_says, grpc_says, f"{name} {fields}")


def case_mistakes_are_the_same_over_both(cluster):
    api = Api(cluster)
    audit_id = api.by_rest("CreateAudit", CALLS["CreateAudit"][0])[1]["audit"]["audit_id"]
    for name, requests in MISTAKES.items():
        for fields in requests:
            fields = with_id(fields, audit_id)
            by_grpc, by_rest = api.by_grpc(name, fields), api.by_rest(name, fields)
            assert by_grpc[0] is not None, f"{name} {fields} was taken: {by_grpc[1]}"
            expect.equal(by_rest, by_grpc, f"{name} {fields}")
            assert len(by_grpc[1]) > 15, f"{name} {fields}: {by_grpc[1]!r} says too little"


def case_the_command_prints_what_the_api_answers(cluster):
    api = Api(cluster)
    said = cluster.cli("audit", "--hosts", "host[1-3],nobody", "--no-probes", "--output", "json")
    report = expect.valid_json(said.out)
    newest = api.by_rest("ListAudits", {"page_size": 1})[1]["audits"][0]
    findings = api.by_rest("ListFindings", {"audit_id": newest["audit_id"]})[1]["findings"]
    expect.equal(sorted(f["key"] for f in report["findings"]), sorted(f["key"] for f in findings))
    for field in ("readiness", "policy_digest"):
        expect.equal(report["verdict"][field], newest["verdict"][field])

    said = cluster.cli("checks", "--output", "json")
    by_command = {c["check_id"]: c for c in expect.valid_json(said.out)["checks"]}
    by_api = {c["check_id"]: c for c in api.by_rest("ListChecks", {})[1]["checks"]}
    expect.equal(by_command, by_api)
