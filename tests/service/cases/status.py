# SPDX-License-Identifier: Apache-2.0
"""What whoever watches the controller sees: its pages, and a Prometheus that scrapes it."""

import re
import shutil
import signal
import urllib.parse
import urllib.request

import expect
from cluster import HOSTS, ROOT
from process import free_ports, run, wait_for

PAGES = ("/healthz", "/readyz", "/version", "/metrics")
RULES = ROOT / "deploy/prometheus"


def page(cluster, path, *arguments, client="guest"):
    """HTTP status, header and body, as a viewer sees them."""
    said = cluster.curl(path, "--dump-header", "-", *arguments, client=client)
    expect.status(said, 0)
    header, rest = said.out.replace("\r\n", "\n").split("\n\n", 1)
    body, status = rest.rsplit("\n", 1)
    return int(status), header, body


def problem(cluster, path, status, *pieces, arguments=(), client="guest"):
    found, header, body = page(cluster, path, *arguments, client=client)
    expect.equal(found, status, body)
    expect.matches(header, "(?i)^content-type: application/problem\\+json$")
    expect.contains(expect.valid_json(body)["detail"], *pieces)
    return header


def metrics(cluster):
    """Series with its labels -> value."""
    status, _, body = page(cluster, "/metrics")
    expect.equal(status, 200)
    lines = (line for line in body.splitlines() if line and not line.startswith("#"))
    return {series: float(value) for series, value in (line.rsplit(" ", 1) for line in lines)}


def conditions(cluster):
    status, _, body = page(cluster, "/readyz")
    answer = expect.valid_json(body)
    expect.equal(answer["ready"], all(row["ok"] for row in answer["conditions"]))
    expect.equal(status, 200 if answer["ready"] else 503)
    return {row["name"]: row for row in answer["conditions"]}


def have(program):
    if shutil.which(program):
        return True
    print(f"service: SKIPPED a case: {program} is not installed (Debian package prometheus)")
    return False


def case_each_page_answers(cluster):
    status, header, body = page(cluster, "/healthz")
    expect.equal((status, expect.valid_json(body)), (200, {"healthy": True}))
    expect.matches(header, "(?i)^cache-control: no-store$")

    version = expect.valid_json(page(cluster, "/version")[2])
    expect.equal(version["api"], "roceready.v1")
    expect.contains(run(cluster.controller_program, "--version").out, version["software_version"])
    assert version["epoch"] >= 1, version

    _, header, _ = page(cluster, "/metrics")
    expect.matches(header, "(?i)^content-type: text/plain; version=0.0.4; charset=utf-8$")
    seen = metrics(cluster)
    expect.equal(seen['roceready_hosts{state="connected"}'] >= len(HOSTS), True, seen)
    expect.equal(seen["roceready_controller_epoch"], version["epoch"])
    assert seen["process_resident_memory_bytes"] > 1e6, seen
    assert seen["process_open_fds"] > len(HOSTS), seen


def case_head_is_the_header_alone(cluster):
    for path in PAGES:
        said = cluster.curl(path, "--head", client="guest")
        expect.status(said, 0)
        header, rest = said.out.replace("\r\n", "\n").split("\n\n", 1)
        length = int(expect.matches(header, r"(?i)^content-length: (\d+)$").group(1))
        assert length > 0, header
        expect.equal(rest.strip() in ("200", "503"), True, said)


def case_what_is_no_question_is_refused(cluster):
    for path in PAGES:
        for method in ("POST", "PUT", "DELETE"):
            header = problem(cluster, path, 405, f"{path} takes GET, HEAD",
                             arguments=("--request", method))
            expect.matches(header, "(?i)^allow: GET, HEAD, OPTIONS$")
    problem(cluster, "/metric", 404, "there is no /metric; there are: ", "/metrics", "/v1/hosts")
    problem(cluster, "/metrics/", 404, "there is no /metrics/")


def case_only_viewers_are_answered(cluster):
    # A host's certificate is of the same CA, and has no role.
    for path in PAGES:
        problem(cluster, path, 403, "this needs the role viewer", "host host1", client="host1")
        said = run("curl", "--silent", "--show-error", "--cacert", cluster.pki / "ca.crt",
                   f"https://127.0.0.1:{cluster.rest_port}{path}")
        assert said.status != 0, said
        expect.equal(said.out, "")


def case_a_failed_reload_is_seen_until_it_is_mended(cluster):
    path = cluster.policies / "lab.yaml"
    good = path.read_text()
    expect.equal(conditions(cluster)["policies"]["ok"], True)
    failures = metrics(cluster)["roceready_policy_load_failures_total"]
    try:
        path.write_text("name: lab\nintnet: {}\n")
        cluster.controller.send(signal.SIGHUP)
        wait_for("the failed reload is seen", lambda: not conditions(cluster)["policies"]["ok"])
        expect.contains(conditions(cluster)["policies"]["reason"], "cannot be loaded since 20",
                        f'{path}:2:1: found the unknown key "intnet"')
        seen = metrics(cluster)
        expect.equal(seen["roceready_policy_load_ok"], 0)
        expect.equal(seen["roceready_ready"], 0)
        expect.equal(seen["roceready_policy_load_failures_total"], failures + 1)
    finally:
        path.write_text(good)
        cluster.controller.send(signal.SIGHUP)
    wait_for("the reload is seen", lambda: conditions(cluster)["policies"]["ok"])
    expect.equal(metrics(cluster)["roceready_policy_load_ok"], 1)


def case_audits_and_verdicts_are_counted(cluster):
    def total(seen, name):
        return sum(value for series, value in seen.items() if series.startswith(name + "{"))
    def busy():  # with what an earlier case has left
        seen = metrics(cluster)
        return seen["roceready_audits_running"] + seen["roceready_audits_waiting"]
    wait_for("no audit runs", lambda: busy() == 0)
    before = metrics(cluster)
    cluster.cli("audit", "--hosts", "host[1-2]", "--no-probes")
    cluster.cli("verdict", "--hosts", "host[1-2]")
    after = metrics(cluster)
    expect.equal(total(after, "roceready_audits_ended_total"),
                 total(before, "roceready_audits_ended_total") + 1)
    expect.equal(after["roceready_last_audit_hosts"], 2)
    expect.equal(after['roceready_hosts_last_verdict{readiness="none"}'] <=
                 total(after, "roceready_hosts") - 2, True, after)
    expect.equal(total(after, "roceready_verdict_answers_total"),
                 total(before, "roceready_verdict_answers_total") + 1)
    expect.equal(len(after) < 5000, True)
    expect.absent(" ".join(after), "host1")


def case_promtool_finds_nothing_to_say_of_the_page(cluster):
    if not have("promtool"):
        return
    cluster.cli("audit", "--hosts", "host1", "--no-probes")  # so that every family is there
    said = run("promtool", "check", "metrics", stdin=page(cluster, "/metrics")[2].encode())
    expect.equal((said.status, said.out, said.err), (0, "", ""), said)


def case_the_alerts_are_rules_that_pass_their_tests(cluster):
    if not have("promtool"):
        return
    expect.status(run("promtool", "check", "rules", "roceready.rules.yaml", cwd=RULES), 0)
    expect.status(run("promtool", "test", "rules", "roceready.rules.test.yaml", cwd=RULES,
                      patience=300), 0)
    # Each alert says what to do, has a test, and asks for metrics that there are.
    rules = (RULES / "roceready.rules.yaml").read_text()
    tests = (RULES / "roceready.rules.test.yaml").read_text()
    cluster.cli("audit", "--hosts", "host1", "--no-probes")
    names = {re.split(r"[{ ]", series)[0] for series in metrics(cluster)}
    alerts = re.split(r"(?m)^      - alert: ", rules)[1:]
    assert len(alerts) >= 12, len(alerts)
    for alert in alerts:
        name = alert.split("\n", 1)[0]
        expect.contains(tests, f'alertname="{name}"')
        expect.matches(alert, r"severity: (critical|warning)\}")
        expect.contains(alert, "summary: ", "description: ", "action: ")
    asked = set(re.findall(r"\b((?:roceready|process)_\w+)", "".join(
        re.findall(r"(?ms)^        expr:(.*?)^        (?:for|labels):", rules))))
    expect.equal(asked - names, set(), "metrics of alerts that the controller does not have")


def case_a_prometheus_scrapes_the_controller(cluster):
    if not have("prometheus"):
        return
    folder = cluster.directory / "prometheus"
    folder.mkdir()
    port, = free_ports(1)
    readme = (RULES / "README.md").read_text()
    config = re.search(r"```yaml\n(.*?)```", readme, re.S).group(1)
    for before, after in (
            ("/usr/share/roceready/prometheus", str(RULES)),
            ("/etc/prometheus/roceready/prometheus.", f"{cluster.pki}/guest."),
            ("/etc/prometheus/roceready/", f"{cluster.pki}/"),
            ("scrape_interval: 30s", "scrape_interval: 5s\n    scrape_timeout: 5s"),
            ("roceready-controller:7473", f"127.0.0.1:{cluster.rest_port}")):
        expect.contains(config, before)
        config = config.replace(before, after)
    (folder / "prometheus.yml").write_text(config)
    process = cluster.launch("prometheus", [
        "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address=127.0.0.1:{port}"])

    def value(query):
        url = f"http://127.0.0.1:{port}/api/v1/query?query={urllib.parse.quote(query)}"
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                result = expect.valid_json(answer.read().decode())["data"]["result"]
        except OSError:
            return None
        return float(result[0]["value"][1]) if result else None

    try:
        wait_for("Prometheus has scraped the controller", lambda: value('up{job="roceready"}') == 1)
        wait_for("and knows the hosts",
                 lambda: value('roceready_hosts{state="connected"}') == len(HOSTS))
        expect.equal(value("roceready_controller_epoch"),
                     metrics(cluster)["roceready_controller_epoch"])
    finally:
        cluster.retire(process)
