// SPDX-License-Identifier: Apache-2.0
// `roceready`: the SRE's command. A thin client: everything it shows was judged by the controller,
// or (audit --facts) by the same checks here.
#include <absl/synchronization/mutex.h>

#include <csignal>

#include "checks/check.h"
#include "checks/policy/explain.h"
#include "checks/policy/policy_file.h"
#include "checks/policy/site_rule.h"
#include "checks/report/layout.h"
#include "checks/report/report.h"
#include "checks/site_checks.h"
#include "controller/cli/arguments.h"
#include "controller/cli/client_config.h"
#include "controller/cli/fleet_client.h"
#include "controller/cli/local_policy.h"
#include "controller/cli/report_output.h"
#include "controller/cli/saved_facts.h"
#include "proto/contract/errors.h"
#include "proto/process/exit_status.h"
#include "proto/process/refusals.h"

namespace roceready::cli {
namespace {

absl::StatusOr<std::unique_ptr<FleetClient>> Dial(const Arguments& arguments) {
  auto config = LoadClientConfig(arguments);
  if (!config.ok()) return config.status();
  return FleetClient::Create(*config);
}

int Run(const Arguments& arguments, const OutputOptions& output, const AuditOptions& options) {
  // Saved facts need no controller, and so no configuration of one.
  if (!options.facts_directory.empty()) return AuditCommand({}, options, output);
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return AuditCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const ProbeOptions& options) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return ProbeCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const ProbeShowOptions& options) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return ProbeShowCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const ProbeStopOptions& options) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return ProbeStopCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const FixOptions& options) {
  if (!options.facts_directory.empty()) return FixCommand({}, options, output);
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return FixCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const VerdictOptions& options) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return VerdictCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const GateOptions& options) {
  return GateCommand(LoadClientConfig(arguments), options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const PickOptions& options) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return PickCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const WhoIsOptions& options) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return WhoIsCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const WhyOptions& options) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return WhyCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const EventsOptions& options) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return EventsCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const DiffOptions& options) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return DiffCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output,
        const HostsCommandOptions& options) {
  const auto client = Dial(arguments);
  if (!client.ok()) return Fail(client.status(), output.format);
  const auto hosts = (*client)->ListHosts(options.hosts);
  if (!hosts.ok()) return Fail(hosts.status(), output.format);
  PrintResult(RenderHosts(*hosts, output));
  return kExitOk;
}

int Run(const Arguments& arguments, const OutputOptions& output,
        const FactsCommandOptions& options) {
  const auto client = Dial(arguments);
  if (!client.ok()) return Fail(client.status(), output.format);
  v1::GetHostFactsRequest request;
  request.set_host(options.host);
  request.set_with_counters(options.counters);
  auto facts = (*client)->GetHostFacts(request);
  if (!facts.ok()) return Fail(facts.status(), output.format);
  PrintResult(ToJson(FactsFileOf(*std::move(facts), std::chrono::system_clock::now())));
  return kExitOk;
}

// The checklist is compiled in: both commands work without a controller.
int Run(const Arguments&, const OutputOptions& output, const ChecksCommandOptions& options) {
  if (!options.policy.empty()) {
    const auto policy = ReadLocalPolicy(options.policy, std::chrono::system_clock::now());
    if (!policy.ok()) return Fail(policy.status(), output.format);
    const EffectivePolicy of_all = (*policy)->ForAllHosts();
    PrintResult(output.format == Format::kJson ? ToJson(report::ChecksAsMessage(of_all))
                                               : report::RenderChecks(of_all, output.color));
    return kExitOk;
  }
  if (output.format == Format::kJson) {
    PrintResult(ToJson(report::AllChecks()));
  } else {
    PrintResult(report::RenderChecks(output.color));
  }
  return kExitOk;
}

int Explain(const checks::Check& check, const OutputOptions& output) {
  PrintResult(output.format == Format::kJson ? ToJson(report::InfoOf(check))
                                             : report::RenderExplain(check, output.color));
  return kExitOk;
}

// One of a policy's own.
int ExplainSiteCheck(const ExplainCommandOptions& options, const OutputOptions& output) {
  if (options.policy.empty()) {
    return Fail(InvalidArgument("{} is written in a policy: give it with --policy FILE",
                                report::Harmless(options.check_id)),
                output.format);
  }
  const auto policy = ReadLocalPolicy(options.policy, std::chrono::system_clock::now());
  if (!policy.ok()) return Fail(policy.status(), output.format);
  const EffectivePolicy of_all = (*policy)->ForAllHosts();
  const SiteRule* rule = of_all.SiteRuleOf(options.check_id);
  if (rule == nullptr) {
    std::vector<std::string> known;
    known.reserve(of_all.site_checks.size());
    for (const auto& one : of_all.site_checks) known.push_back(one->id);
    return Fail(NotFound("policy {} has no {}{}", of_all.name, report::Harmless(options.check_id),
                         yaml::DidYouMean(options.check_id, known)),
                output.format);
  }
  const std::string how = checks::HowOf(*rule);
  return Explain(checks::CheckOf(*rule, how), output);
}

int Run(const Arguments&, const OutputOptions& output, const ExplainCommandOptions& options) {
  if (IsSiteCheckId(options.check_id)) return ExplainSiteCheck(options, output);
  const checks::Check* check = checks::FindCheck(options.check_id);
  if (check == nullptr) return Fail(report::UnknownCheck(options.check_id), output.format);
  return Explain(*check, output);
}

int Run(const Arguments&, const OutputOptions& output, const PolicyValidateOptions& options) {
  PolicyContext context;
  for (const checks::Check& check : checks::Catalog()) {
    context.known_check_ids.emplace_back(check.id);
  }
  context.now = std::chrono::system_clock::now();
  PolicyResult result = LoadPolicyFile(options.file, context);
  if (!options.job_environment.empty()) {
    JobEnvironment environment = ReadJobEnvironmentFile(options.job_environment);
    for (yaml::Problem& problem : environment.problems) {
      result.problems.push_back(std::move(problem));
    }
    for (const std::string& what : environment.not_judged) {
      result.notes.push_back({options.job_environment, {}, "", "not judged: " + what});
    }
  }
  PrintResult(output.format == Format::kJson ? ToJson(PolicyResultAsMessage(result))
                                             : RenderPolicyResult(result));
  return result.ok() ? kExitOk : kExitConfig;
}

int Run(const Arguments&, const OutputOptions& output, const PolicyExplainOptions& options) {
  const auto policy =
      ReadLocalPolicy(options.policy, std::chrono::system_clock::now(), options.job_environment);
  if (!policy.ok()) return Fail(policy.status(), output.format);
  PrintResult(RenderPolicy((*policy)->ForHost(options.host), options.host));
  return kExitOk;
}

// As diff(1): 0 where nothing differs, 1 where something does.
int Run(const Arguments&, const OutputOptions& output, const PolicyDiffOptions& options) {
  const auto now = std::chrono::system_clock::now();
  const auto first = ReadLocalPolicy(options.first, now);
  if (!first.ok()) return Fail(first.status(), output.format);
  const auto second = ReadLocalPolicy(options.second, now);
  if (!second.ok()) return Fail(second.status(), output.format);
  const auto of = [&](const LoadedPolicy& policy) {
    return options.host.empty() ? policy.ForAllHosts() : policy.ForHost(options.host);
  };
  const std::string difference = RenderPolicyDiff(of(**first), of(**second));
  PrintResult(difference);
  return difference.empty() ? kExitOk : kExitLesserFindings;
}

int Run(const Arguments& arguments, const OutputOptions& output,
        const PolicyLearnOptions& options) {
  // Saved facts need no controller, and so no configuration of one.
  if (!options.facts_directory.empty()) return LearnCommand({}, options, output);
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return LearnCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output,
        const SwitchImportOptions& options) {
  // Judged here, it needs no configuration of a controller.
  if (options.offline) return SwitchImportCommand({}, options, output);
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return SwitchImportCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output, const SwitchListOptions&) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return SwitchListCommand(*config, output);
}

int Run(const Arguments& arguments, const OutputOptions& output,
        const SwitchRemoveOptions& options) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return SwitchRemoveCommand(*config, options, output);
}

int Run(const Arguments& arguments, const OutputOptions& output,
        const MaintenanceOptions& options) {
  const auto config = LoadClientConfig(arguments);
  if (!config.ok()) return Fail(config.status(), output.format);
  return MaintenanceCommand(*config, options, output);
}

int Run(const Arguments&, const OutputOptions&, const std::monostate&) { return kExitUsage; }

}  // namespace
}  // namespace roceready::cli

int main(int argc, char** argv) {
  using namespace roceready::cli;
  // Debian's abseil searches for deadlocks at every lock otherwise.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  roceready::SilenceGrpcLog();
  std::signal(SIGPIPE, SIG_IGN);
  auto parsed = ParseArguments(argc, argv);
  if (const int* status = std::get_if<int>(&parsed)) return *status;
  const Arguments& arguments = std::get<Arguments>(parsed);
  const OutputOptions output = DecideOutput(arguments.format, arguments.color);
  const int status = std::visit(
      [&](const auto& command) { return Run(arguments, output, command); }, arguments.command);
  // A prolog takes the gate's status alone: a full disk is to drain no host.
  const bool status_is_all = std::holds_alternative<GateOptions>(arguments.command);
  return OutputLost() && !status_is_all ? static_cast<int>(roceready::kExitInternal) : status;
}
