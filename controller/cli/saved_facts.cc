// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/saved_facts.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "checks/evaluate.h"
#include "checks/switch/policed_switches.h"
#include "controller/cli/local_policy.h"
#include "controller/cli/switch_files.h"
#include "proto/contract/errors.h"
#include "proto/contract/fact_parts.h"
#include "proto/contract/facts_file.h"
#include "proto/yaml/config_file.h"

namespace roceready::cli {
namespace {

namespace fs = std::filesystem;

// Facts of a file are as old as the file says; a clock that ran ahead makes them no younger than
// now.
checks::Age AgeOf(const v1::FactsFile& file, checks::WallTime now) {
  const auto recorded = checks::WallTime(std::chrono::nanoseconds(
      google::protobuf::util::TimeUtil::TimestampToNanoseconds(file.recorded_at())));
  return std::max(checks::Age::zero(), std::chrono::duration_cast<checks::Age>(now - recorded));
}

}  // namespace

absl::StatusOr<std::map<std::string, v1::FactsFile>> ReadSavedFacts(const std::string& directory) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".json") paths.push_back(entry->path());
  }
  if (error) return InvalidArgument("cannot read {}: {}", directory, error.message());
  if (paths.empty()) {
    return InvalidArgument(
        "{} holds no *.json; write one per host with `roceready-agent facts > {}/HOST.json`",
        directory, directory);
  }
  std::sort(paths.begin(), paths.end());
  std::map<std::string, v1::FactsFile> files;
  for (const fs::path& path : paths) {
    ASSIGN_OR_RETURN(const std::string text, yaml::ReadTextFile(path));
    ASSIGN_OR_RETURN(v1::FactsFile file, ParseFactsFile(text, path.string()));
    const std::string host = file.facts().identity().host();
    if (!files.emplace(host, std::move(file)).second) {
      return InvalidArgument("{}: host {} is also in another file of {}", path.string(), host,
                             directory);
    }
  }
  return files;
}

absl::StatusOr<AuditResult> JudgeSavedFacts(const SavedAudit& saved) {
  const checks::WallTime now = std::chrono::system_clock::now();
  ASSIGN_OR_RETURN(const auto files, ReadSavedFacts(saved.directory));
  ASSIGN_OR_RETURN(const auto loaded, ReadLocalPolicy(saved.policy, now, saved.job_environment));

  ASSIGN_OR_RETURN(std::vector<checks::KnownSwitch> known, ReadSwitchFiles(saved.switch_files));
  const checks::PolicedSwitches switches(*loaded, std::move(known));

  std::map<std::string, EffectivePolicy> policies;
  checks::AuditInput input;
  for (const auto& [host, file] : files) {
    checks::HostInput one;
    one.host = host;
    one.facts = &file.facts();
    one.counters = file.has_counters() ? &file.counters() : nullptr;
    one.counters_age = AgeOf(file, now);
    ASSIGN_OR_RETURN(const FactParts parts, SplitFacts(file.facts()));
    for (const auto& [key, part] : parts) one.fact_ages[key] = AgeOf(file, now);
    one.switches = switches.set();
    one.policy = &policies.emplace(host, loaded->ForHost(host)).first->second;
    input.hosts.push_back(std::move(one));
  }
  const EffectivePolicy fleet_policy = loaded->ForAllHosts();
  input.fleet.policy = &fleet_policy;
  input.fleet.switches = switches.set();
  input.fleet.now = now;

  AuditResult result;
  result.report = checks::Evaluate(input);
  *result.audit.mutable_verdict() = result.report.verdict();
  result.audit.set_state(v1::AUDIT_STATE_DONE);
  return result;
}

}  // namespace roceready::cli
