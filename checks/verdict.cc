// SPDX-License-Identifier: Apache-2.0
#include "checks/verdict.h"

#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/coverage.h"
#include "checks/fold.h"
#include "checks/policy/effective_policy.h"
#include "checks/policy/site_rule.h"

namespace roceready::checks {
namespace {

// Hosts without which nothing would block.
std::vector<std::string> HostsBlocked(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    if (!block.Blocks()) continue;
    const bool is_of_no_host = std::ranges::any_of(
        block.roots, [](const v1::Finding* root) { return root->subject().host().empty(); });
    // A switch, or what many hosts share, is not left out by leaving out a host.
    if (is_of_no_host) return {};
  }
  return SortedHosts(HostsBlamed(blocks));
}

v1::Readiness ReadinessOf(const v1::AuditReport& report, const Tallies& tallies) {
  bool undetermined = false;
  for (const v1::Finding& finding : report.findings()) {
    if (!finding.waived_by().empty()) continue;
    if (finding.status() == v1::CHECK_STATUS_FAIL && finding.severity() == v1::SEVERITY_BLOCKS) {
      return v1::READINESS_NOT_READY;
    }
    undetermined |= finding.status() == v1::CHECK_STATUS_UNKNOWN &&
                    finding.on_unknown() == v1::ON_UNKNOWN_BLOCK;
  }
  // Silence is not a pass: some host (or, where only switches were given, some switch) must have
  // been looked at, and something must be right with it.
  const v1::Coverage& coverage = report.verdict().coverage();
  const bool looked =
      coverage.hosts_asked() > 0 ? coverage.hosts_judged() > 0 : coverage.switches_judged() > 0;
  bool passed = false;
  for (const auto& [id, tally] : tallies) passed |= id != "host.heard-from" && tally.pass() > 0;
  return undetermined || !passed || !looked ? v1::READINESS_UNDETERMINED : v1::READINESS_READY;
}

void CountBlocks(const std::vector<Block>& blocks, v1::Verdict& verdict) {
  for (const Block& block : blocks) {
    if (block.waived) continue;
    if (block.status == v1::CHECK_STATUS_UNKNOWN) {
      if (block.blocks_unknown) verdict.set_blocking_unknown(verdict.blocking_unknown() + 1);
    } else if (block.severity == v1::SEVERITY_BLOCKS) {
      verdict.set_blocking(verdict.blocking() + 1);
    } else if (block.severity == v1::SEVERITY_DEGRADES) {
      verdict.set_degrading(verdict.degrading() + 1);
    } else {
      verdict.set_advice(verdict.advice() + 1);
    }
  }
}

void SetTime(v1::Verdict& verdict, WallTime now) {
  const auto since = now.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  verdict.mutable_evaluated_at()->set_seconds(seconds.count());
  verdict.mutable_evaluated_at()->set_nanos(static_cast<int32_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds).count()));
}

// Root causes first, each followed by what it explains.
void Order(v1::AuditReport& report) {
  google::protobuf::RepeatedPtrField<v1::Finding> ordered;
  for (const Block& block : BlocksOf(report.findings())) {
    for (const v1::Finding* root : block.roots) *ordered.Add() = *root;
    for (const v1::Finding* folded : block.folded) *ordered.Add() = *folded;
  }
  *report.mutable_findings() = std::move(ordered);
}

}  // namespace

std::set<std::string> HostsBlamed(const std::vector<Block>& blocks) {
  std::set<std::string> blocked;
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Block& block : blocks) {
    if (!block.Blocks()) continue;
    for (const v1::Finding* root : block.roots) {
      const v1::Subject& subject = root->subject();
      if (subject.host().empty()) continue;
      if (subject.peer_host().empty()) {
        blocked.insert(subject.host());
      } else {
        pairs.insert(std::minmax(subject.host(), subject.peer_host()));
      }
    }
  }
  const auto covered = [&](const auto& pair) {
    return blocked.contains(pair.first) || blocked.contains(pair.second);
  };
  std::erase_if(pairs, covered);
  while (!pairs.empty()) {
    std::map<std::string, int> count;
    for (const auto& [a, b] : pairs) {
      ++count[a];
      ++count[b];
    }
    const auto most =
        std::ranges::max_element(count, {}, [](const auto& one) { return one.second; });
    if (most->second == 1) {
      // Nothing tells which end it is.
      for (const auto& [a, b] : pairs) blocked.insert({a, b});
      break;
    }
    blocked.insert(most->first);
    std::erase_if(pairs, covered);
  }
  return blocked;
}

v1::AuditReport MakeReport(Settled settled) {
  v1::AuditReport report;
  for (Draft& draft : settled.drafts) *report.add_findings() = std::move(draft.finding);
  Order(report);
  v1::Verdict& verdict = *report.mutable_verdict();
  *verdict.mutable_coverage() = CoverageOf(settled, report);
  for (const Check& check : Catalog()) {
    const auto tally = settled.tallies.find(check.id);
    if (tally != settled.tallies.end()) *verdict.add_tallies() = tally->second;
  }
  for (const auto& [id, tally] : settled.tallies) {
    if (IsSiteCheckId(id)) *verdict.add_tallies() = tally;
  }
  const std::vector<Block> blocks = BlocksOf(report.findings());
  CountBlocks(blocks, verdict);
  for (const std::string& host : HostsBlocked(blocks)) verdict.add_hosts_blocked(host);
  verdict.set_policy_name(settled.fleet.policy->name);
  verdict.set_policy_digest(settled.fleet.policy->digest);
  SetTime(verdict, settled.fleet.now);
  verdict.set_readiness(ReadinessOf(report, settled.tallies));
  return report;
}

}  // namespace roceready::checks
