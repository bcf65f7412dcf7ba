// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/saved_facts.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "checks/evaluate.h"
#include "checks/switch/planned_end.h"
#include "checks/words.h"
#include "controller/cli/local_policy.h"
#include "controller/cli/switch_files.h"
#include "proto/contract/errors.h"
#include "proto/contract/facts_file.h"
#include "proto/contract/host_list.h"
#include "proto/process/durations.h"
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
void ListAgedHosts(const KnownHosts& hosts, v1::Coverage& coverage) {
  std::vector<std::string> aged, undated;
  checks::Age oldest = checks::Age::zero();
  for (const auto& [name, host] : hosts) {
    const std::optional<checks::Age> age = host.OldestFact();
    if (!age) {
      undated.push_back(name);
    } else if (*age > kMaxFactAge) {
      aged.push_back(name);
      oldest = std::max(oldest, *age);
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
        "{} holds no *.json; write one per host with `roceready-agent facts > {}/HOST.json`, "
        "or with `roceready facts HOST > {}/HOST.json`",
        directory, directory, directory);
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

v1::FactsFile FactsFileOf(v1::GetHostFactsResponse response, checks::WallTime now) {
  v1::FactsFile file;
  file.set_format(std::string(kFactsFileFormat));
  *file.mutable_recorded_at() = ToProto(now);
  file.mutable_facts()->Swap(response.mutable_facts());
  if (response.has_counters()) file.mutable_counters()->Swap(response.mutable_counters());
  if (response.has_counters_age()) {
    file.mutable_counters_age()->Swap(response.mutable_counters_age());
  }
  file.mutable_ages()->Swap(response.mutable_ages());
  return file;
}

absl::StatusOr<KnownHosts> HostsOfSavedFacts(const std::string& directory, checks::WallTime now) {
  ASSIGN_OR_RETURN(auto files, ReadSavedFacts(directory));
  KnownHosts hosts;
  for (auto& [name, file] : files) {
    KnownHost& host = hosts[name];
    host.counters_age = AgeOfCounters(file, now);
    host.fact_ages = AgesOfParts(file, now);
    if (file.has_counters()) host.counters = std::move(*file.mutable_counters());
    host.facts = std::move(*file.mutable_facts());
  }
  return hosts;
}

absl::StatusOr<AuditResult> JudgeSavedFacts(const SavedAudit& saved) {
  const checks::WallTime now = std::chrono::system_clock::now();
  ASSIGN_OR_RETURN(const KnownHosts hosts, HostsOfSavedFacts(saved.directory, now));
  ASSIGN_OR_RETURN(const auto loaded, ReadLocalPolicy(saved.policy, now, saved.job_environment));
  ASSIGN_OR_RETURN(std::vector<checks::KnownSwitch> known, ReadSwitchFiles(saved.switch_files));

  AuditResult result;
  result.report = JudgeHere(hosts, *loaded, std::move(known), now);
  ListAgedHosts(hosts, *result.report.mutable_verdict()->mutable_coverage());
  *result.audit.mutable_verdict() = result.report.verdict();
  result.audit.set_state(v1::AUDIT_STATE_DONE);
  return result;
}

}  // namespace roceready::cli
