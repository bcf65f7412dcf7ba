// SPDX-License-Identifier: Apache-2.0
#include "checks/what_if.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "checks/check.h"
#include "checks/fold.h"
#include "checks/verdict.h"

namespace roceready::checks {
namespace {

using Findings = google::protobuf::RepeatedPtrField<v1::Finding>;

bool MustBeKnown(const v1::Finding& finding) {
  return finding.status() == v1::CHECK_STATUS_UNKNOWN && finding.waived_by().empty() &&
         finding.on_unknown() == v1::ON_UNKNOWN_BLOCK;
}

Weight WeightOf(const v1::Finding& finding) {
  if (!finding.waived_by().empty()) return Weight::kWaived;
  if (finding.status() == v1::CHECK_STATUS_UNKNOWN) {
    return MustBeKnown(finding) ? Weight::kMustBeKnown : Weight::kUnknown;
  }
  if (finding.status() != v1::CHECK_STATUS_FAIL) return Weight::kNone;
  if (finding.severity() == v1::SEVERITY_BLOCKS) return Weight::kBlocks;
  return finding.severity() == v1::SEVERITY_DEGRADES ? Weight::kDegrades : Weight::kAdvice;
}

Findings Compared(const v1::AuditReport& report, bool judged_alike) {
  Findings compared;
  for (const v1::Finding& finding : report.findings()) {
    if (judged_alike || !NeedsController(finding.check_id())) *compared.Add() = finding;
  }
  return compared;
}

std::map<std::string, Standing> StandingsOf(const v1::AuditReport& report,
                                            const std::vector<std::string>& hosts,
                                            bool judged_alike) {
  const Findings findings = Compared(report, judged_alike);
  std::vector<Block> failed, unknown_blocks;
  for (Block& block : BlocksOf(findings)) {
    (block.status == v1::CHECK_STATUS_FAIL ? failed : unknown_blocks).push_back(std::move(block));
  }
  const v1::Coverage& coverage = report.verdict().coverage();
  const std::set<std::string> red = HostsBlamed(failed);
  std::set<std::string> unknown = HostsBlamed(unknown_blocks);
  unknown.insert(coverage.hosts_missing().begin(), coverage.hosts_missing().end());
  const std::set<std::string> in_maintenance(coverage.hosts_in_maintenance().begin(),
                                             coverage.hosts_in_maintenance().end());
  // Nothing that was to be known is unknown, and yet there is no verdict: nothing passed at all.
  const bool nothing_passed = report.verdict().readiness() == v1::READINESS_UNDETERMINED &&
                              std::ranges::none_of(report.findings(), MustBeKnown);
  std::map<std::string, Standing> standings;
  for (const std::string& host : hosts) {
    standings[host] = in_maintenance.contains(host)              ? Standing::kInMaintenance
                      : red.contains(host)                       ? Standing::kRed
                      : nothing_passed || unknown.contains(host) ? Standing::kUnknown
                                                                 : Standing::kGreen;
  }
  return standings;
}

using ByKey = std::map<std::string_view, const v1::Finding*>;

// Of several findings of one key the gravest.
ByKey KeysOf(const v1::AuditReport& report, bool judged_alike) {
  ByKey keys;
  for (const v1::Finding& finding : report.findings()) {
    if (!judged_alike && NeedsController(finding.check_id())) continue;
    const v1::Finding*& known = keys[finding.key()];
    if (known == nullptr || WeightOf(*known) < WeightOf(finding)) known = &finding;
  }
  return keys;
}

Weight WeightIn(const ByKey& keys, const std::string& key) {
  const auto found = keys.find(key);
  return found == keys.end() ? Weight::kNone : WeightOf(*found->second);
}

class Moves {
 public:
  // A finding that stands in the report which the move is told from.
  void Add(const v1::Finding& finding, Weight before, Weight after) {
    if (before == after) return;
    const auto same = [&](const CheckMove& move) {
      return move.check_id == finding.check_id() && move.before == before && move.after == after;
    };
    auto move = std::ranges::find_if(moves_, same);
    if (move == moves_.end()) {
      move = moves_.insert(moves_.end(), {.check_id = finding.check_id(),
                                          .before = before,
                                          .after = after,
                                          .findings = {},
                                          .follows = true});
    }
    // A root cause is told before what follows from another.
    const bool is_root = finding.caused_by().empty();
    move->findings.insert(is_root && move->follows ? move->findings.begin() : move->findings.end(),
                          &finding);
    move->follows &= !is_root;
  }

  std::vector<CheckMove> Take() {
    const auto rank = [](const CheckMove& move) {
      return std::tuple(move.follows, -static_cast<int>(move.after),
                        -static_cast<int>(move.before));
    };
    std::ranges::stable_sort(moves_, {}, rank);
    return std::move(moves_);
  }

 private:
  std::vector<CheckMove> moves_;
};

std::vector<CheckMove> MovesOf(const ComparedReports& reports) {
  const ByKey before = KeysOf(reports.before, reports.judged_alike);
  const ByKey after = KeysOf(reports.after, reports.judged_alike);
  Moves moves;
  for (const v1::Finding& finding : reports.after.findings()) {
    const auto counted = after.find(finding.key());
    if (counted == after.end() || counted->second != &finding) continue;
    moves.Add(finding, WeightIn(before, finding.key()), WeightOf(finding));
  }
  for (const v1::Finding& finding : reports.before.findings()) {
    const auto counted = before.find(finding.key());
    if (counted == before.end() || counted->second != &finding) continue;
    if (!after.contains(finding.key())) moves.Add(finding, WeightOf(finding), Weight::kNone);
  }
  return moves.Take();
}

}  // namespace

bool NeedsController(std::string_view check_id) {
  const Check* check = FindCheck(check_id);
  if (check == nullptr) return false;
  return check->at_switch != nullptr || check->link != nullptr ||
         check->id == "fleet.duplicate-host";
}

WhatIf CompareReports(const ComparedReports& reports) {
  const auto before = StandingsOf(reports.before, reports.hosts, reports.judged_alike);
  const auto after = StandingsOf(reports.after, reports.hosts, reports.judged_alike);
  WhatIf what_if;
  for (const std::string& host : reports.hosts) {
    what_if.hosts.push_back({host, before.at(host), after.at(host)});
  }
  what_if.moves = MovesOf(reports);
  return what_if;
}

}  // namespace roceready::checks
