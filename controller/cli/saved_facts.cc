// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/saved_facts.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "checks/evaluate.h"
#include "checks/switch/planned_end.h"
#include "checks/switch/policed_switches.h"
#include "checks/words.h"
#include "controller/cli/local_policy.h"
#include "controller/cli/switch_files.h"
#include "proto/contract/errors.h"
#include "proto/contract/fact_parts.h"
#include "proto/contract/facts_file.h"
#include "proto/contract/host_list.h"
#include "proto/yaml/config_file.h"

namespace roceready::cli {
namespace {

namespace fs = std::filesystem;

// Facts as old as this may no longer be what the hosts are like: a site records them daily.
constexpr checks::Age kMaxFactAge = std::chrono::hours(24);

std::string AgeWords(checks::Age age) {
  const auto hours =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::hours>(age).count());
  return hours < 48 ? checks::Counted(hours, "hour") : checks::Counted(hours / 24, "day");
}

// Says in the report what saved facts cannot tell: what was changed since.
void ListAgedHosts(const std::vector<checks::HostInput>& hosts, v1::Coverage& coverage) {
  std::vector<std::string> aged, undated;
  checks::Age oldest = checks::Age::zero();
  for (const checks::HostInput& host : hosts) {
    if (!host.counters_age) {
      undated.push_back(host.host);
    } else if (*host.counters_age > kMaxFactAge) {
      aged.push_back(host.host);
      oldest = std::max(oldest, *host.counters_age);
    }
  }
  if (!aged.empty()) {
    coverage.add_not_audited(fmt::format("what was changed since on {}: {} facts are {}{} old",
                                         FoldHostList(aged), aged.size() == 1 ? "its" : "their",
                                         aged.size() == 1 ? "" : "up to ", AgeWords(oldest)));
  }
  if (!undated.empty()) {
    coverage.add_not_audited(
        fmt::format("what was changed since on {}: age unknown, {} file{} no recorded_at",
                    FoldHostList(undated), undated.size() == 1 ? "its" : "their",
                    undated.size() == 1 ? " has" : "s have"));
  }
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
    // Names are compared in lower case, as in certificates and for agents.
    const std::string host = checks::LowerCase(file.facts().identity().host());
    file.mutable_facts()->mutable_identity()->set_host(host);
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
    one.counters_age = AgeOfFacts(file, now);
    if (one.counters_age) {
      ASSIGN_OR_RETURN(const FactParts parts, SplitFacts(file.facts()));
      for (const auto& [key, part] : parts) one.fact_ages[key] = *one.counters_age;
    }
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
  ListAgedHosts(input.hosts, *result.report.mutable_verdict()->mutable_coverage());
  *result.audit.mutable_verdict() = result.report.verdict();
  result.audit.set_state(v1::AUDIT_STATE_DONE);
  return result;
}

}  // namespace roceready::cli
