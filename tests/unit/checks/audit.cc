// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/audit.h"

#include <algorithm>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/policy/site_rule.h"
#include "checks/switch/switch_set.h"

namespace roceready::checks {
namespace {

std::string TextOf(const v1::Finding& finding) {
  std::string text = finding.status() == v1::CHECK_STATUS_FAIL ? "FAIL " : "UNKNOWN ";
  if (!finding.waived_by().empty()) text = "waived " + text;
  text += finding.check_id() + " " + finding.subject().host();
  if (!finding.subject().peer_host().empty()) text += ">" + finding.subject().peer_host();
  if (finding.subject().host().empty()) {
    text += finding.subject().group() + finding.subject().switch_name();
  }
  return text;
}

bool IsUsualUnknown(const v1::Finding& finding) {
  return finding.status() == v1::CHECK_STATUS_UNKNOWN && finding.check_id().starts_with("ecn.") &&
         finding.reason().starts_with("UNSUPPORTED");
}

// What must hold of any report, whatever the test is about.
void ExpectWellFormed(const v1::AuditReport& report) {
  std::vector<std::string> keys;
  for (const v1::Finding& finding : report.findings()) {
    SCOPED_TRACE(finding.DebugString());
    EXPECT_TRUE(IsSiteCheckId(finding.check_id()) || FindCheck(finding.check_id()) != nullptr);
    EXPECT_NE(finding.status(), v1::CHECK_STATUS_PASS);
    EXPECT_NE(finding.severity(), v1::SEVERITY_UNSPECIFIED);
    EXPECT_NE(finding.on_unknown(), v1::ON_UNKNOWN_UNSPECIFIED);
    EXPECT_FALSE(finding.subject().label().empty());
    if (finding.status() == v1::CHECK_STATUS_FAIL) {
      EXPECT_FALSE(finding.expected().empty());
      EXPECT_FALSE(finding.actual().empty());
      EXPECT_FALSE(finding.fix().text().empty());
      EXPECT_FALSE(finding.evidence().empty());
    } else {
      EXPECT_FALSE(finding.reason().empty());
    }
    for (const v1::Evidence& evidence : finding.evidence()) {
      EXPECT_TRUE(evidence.fact_path().empty() || IsFactPath(evidence.fact_path()));
    }
    keys.push_back(finding.key());
  }
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end()) << "two findings have one key";
}

}  // namespace

AuditOf::AuditOf(std::vector<builders::HostBuilder> made) : hosts(std::move(made)) {
  for (builders::HostBuilder& host : hosts) {
    inputs_.push_back({.host = host.facts().identity().host()});
  }
  fleet.now = kNow;
}

AuditOf& AuditOf::Probed(builders::ProbeBuilder& probe) {
  fleet.probes.asked = true;
  fleet.probes.planned.push_back(probe.Planned());
  fleet.probes.results.push_back(&probe.result());
  return *this;
}

AuditOf& AuditOf::With(HostInput input) {
  inputs_.push_back(std::move(input));
  return *this;
}

v1::AuditReport AuditOf::Report() {
  fleet.policy = &policy;
  std::vector<SwitchInput> known;
  for (const builders::SwitchBuilder& one : switches) {
    known.push_back({.facts = &one.facts(), .age = std::chrono::minutes(3), .policy = &policy});
  }
  const SwitchSet set(known);
  if (!set.empty()) fleet.switches = &set;
  AuditInput input{.hosts = inputs_, .fleet = fleet};
  for (size_t i = 0; i < input.hosts.size(); ++i) {
    if (input.hosts[i].policy == nullptr) input.hosts[i].policy = &policy;
    if (i >= hosts.size()) continue;
    input.hosts[i].facts = &hosts[i].facts();
    input.hosts[i].counters = &hosts[i].counters();
  }
  for (HostInput& host : input.hosts) host.switches = fleet.switches;
  v1::AuditReport report = Evaluate(input);
  fleet.switches = nullptr;
  ExpectWellFormed(report);
  return report;
}

AuditOf HealthyLab(int rails) {
  using builders::HostBuilder, builders::Nic;
  return AuditOf({HostBuilder("host1", 1, Nic::kLab, rails),
                  HostBuilder("host2", 2, Nic::kLab, rails),
                  HostBuilder("host3", 3, Nic::kLab, rails)});
}

std::vector<std::string> RootsOf(const v1::AuditReport& report) {
  std::vector<std::string> roots;
  for (const v1::Finding& finding : report.findings()) {
    if (finding.caused_by().empty() && !IsUsualUnknown(finding)) roots.push_back(TextOf(finding));
  }
  return roots;
}

std::vector<std::string> FoldedOf(const v1::AuditReport& report) {
  std::vector<std::string> folded;
  for (const v1::Finding& finding : report.findings()) {
    if (finding.caused_by().empty() || IsUsualUnknown(finding)) continue;
    const std::string& cause = finding.caused_by();
    folded.push_back(TextOf(finding) + " <- " + cause.substr(0, cause.find(' ')));
  }
  return folded;
}

const v1::Finding* Find(const v1::AuditReport& report, std::string_view check_id) {
  for (const v1::Finding& finding : report.findings()) {
    if (finding.check_id() == check_id) return &finding;
  }
  return nullptr;
}

const v1::Finding& Only(const v1::AuditReport& report, std::string_view check_id) {
  static const v1::Finding none;
  const auto count = std::ranges::count(report.findings(), check_id, &v1::Finding::check_id);
  EXPECT_EQ(count, 1) << "findings of " << check_id;
  const v1::Finding* found = Find(report, check_id);
  return found == nullptr ? none : *found;
}

v1::CheckTally TallyOf(const v1::AuditReport& report, std::string_view check_id) {
  for (const v1::CheckTally& tally : report.verdict().tallies()) {
    if (tally.check_id() == check_id) return tally;
  }
  return {};
}

}  // namespace roceready::checks
