// SPDX-License-Identifier: Apache-2.0
#include "agent/check_command.h"

#include <algorithm>
#include <ostream>

#include "checks/check.h"
#include "checks/evaluate.h"
#include "checks/policy/policy_file.h"
#include "checks/report/report.h"
#include "proto/contract/errors.h"
#include "proto/contract/facts_file.h"
#include "proto/process/exit_status.h"
#include "proto/yaml/config_file.h"

namespace roceready::agent {
namespace {

PolicyContext ContextOfPolicy(std::chrono::system_clock::time_point now) {
  PolicyContext context;
  for (const checks::Check& check : checks::Catalog()) {
    context.known_check_ids.emplace_back(check.id);
  }
  context.now = now;
  return context;
}

absl::StatusOr<v1::FactsFile> ReadFacts(const CheckOptions& options) {
  if (options.facts_path.empty()) return CollectOnce(options.facts);
  ASSIGN_OR_RETURN(const std::string text, yaml::ReadTextFile(options.facts_path));
  return ParseFactsFile(text, options.facts_path);
}

}  // namespace

int CheckHost(const CheckOptions& options, std::ostream& out, std::ostream& error) {
  const PolicyResult policy =
      LoadPolicyFile(options.policy_path, ContextOfPolicy(std::chrono::system_clock::now()));
  if (!policy.ok()) {
    error << RenderPolicyResult(policy);
    return kExitConfig;
  }
  std::shared_ptr<const LoadedPolicy> loaded = policy.policy;
  if (!options.job_environment.empty()) {
    const JobEnvironment environment = ReadJobEnvironmentFile(options.job_environment);
    if (!environment.ok()) {
      error << yaml::Render(environment.problems) << "\n";
      return kExitConfig;
    }
    loaded = loaded->WithJob(environment);
  }
  const absl::StatusOr<v1::FactsFile> file = ReadFacts(options);
  if (!file.ok()) {
    error << Message(file.status()) << "\n";
    return ExitStatusOfStart(file.status());
  }
  const auto now = std::chrono::system_clock::now();
  const std::string& host = file->facts().identity().host();
  const EffectivePolicy of_host = loaded->ForHost(host);
  const EffectivePolicy of_all = loaded->ForAllHosts();
  checks::AuditInput input;
  input.hosts.push_back({.host = host,
                         .state = v1::HOST_STATE_CONNECTED,
                         .facts = &file->facts(),
                         .counters = &file->counters(),
                         .fact_ages = AgesOfParts(*file, now),
                         .policy = &of_host});
  input.fleet.policy = &of_all;
  input.fleet.now = now;
  const v1::AuditReport report = checks::Evaluate(input);
  out << (options.output == Output::kJson ? report::RenderJson(report)
                                          : report::RenderTable(report, {.color = options.color}))
      << std::flush;
  return ExitStatusOfVerdict(report.verdict());
}

}  // namespace roceready::agent
