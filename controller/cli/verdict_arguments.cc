// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/verdict_arguments.h"

#include "controller/cli/option_kinds.h"

namespace roceready::cli {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

// What all ask about.
void AddQuestion(CLI::App& app, VerdictQuestion& question, const std::string& hosts = "--hosts") {
  AddHosts(app, hosts, question.hosts, "host list, such as 'gpu[001-128]', or '*' for all")
      ->required();
  app.add_option("--policy", question.policy, "policy by name; default: the controller's");
  const DurationRange range{seconds(1), hours(24 * 365), "from 1s to 8760h, such as 90s or 10m"};
  AddDuration(
      app, "--max-age", range, [&question](milliseconds age) { question.max_age = age; },
      "a host whose facts are older than this is not known well enough (3m)");
  AddDuration(
      app, "--max-probe-age", range,
      [&question](milliseconds age) { question.max_probe_age = age; },
      "probes of audits that were asked for longer ago do not count (24h)");
}

void AddWait(CLI::App& app, VerdictQuestion& question) {
  AddDuration(
      app, "--wait", {milliseconds(1), seconds(60), "from 1ms to 60s, such as 5s"},
      [&question](milliseconds wait) { question.wait = wait; },
      "ask hosts whose facts are older than --max-age first, and wait for them so long");
}

}  // namespace

void AddVerdict(CLI::App& app, VerdictOptions& options) {
  CLI::App* verdict = app.add_subcommand(
      "verdict", "judge a set of hosts by what is known of it; ask no host, move no traffic");
  AddQuestion(*verdict, options.question);
  AddWait(*verdict, options.question);
  AddFailOn(*verdict, options.fail_on);
}

void AddGate(CLI::App& app, GateOptions& options) {
  CLI::App* gate = app.add_subcommand(
      "gate", "may a job begin on these hosts? Status 0 or 1, in time, for a scheduler's prolog");
  AddQuestion(*gate, options.question);
  AddDuration(
      *gate, "--timeout", {milliseconds(100), seconds(60), "from 100ms to 60s, such as 2s"},
      [&options](milliseconds timeout) { options.timeout = timeout; },
      "how long the answer may take (2s)");
  const Choices<bool> choices = {{"allow", true}, {"deny", false}};
  AddChoice<bool>(*gate, "--on-unavailable", options.allow_unavailable, choices,
                  "where the controller gives no answer (allow, and it is logged)");
  AddChoice<bool>(*gate, "--on-undetermined", options.allow_undetermined, choices,
                  "where the controller knows too little (deny)");
}

void AddPick(CLI::App& app, PickOptions& options) {
  CLI::App* pick = app.add_subcommand(
      "pick", "hosts of a set that are ready together, as a host list; status 2 where too few are");
  AddQuestion(*pick, options.from, "--from");
  AddWait(*pick, options.from);
  pick->add_option("--count", options.count, "so many hosts; default: all that are ready")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
}

}  // namespace roceready::cli
