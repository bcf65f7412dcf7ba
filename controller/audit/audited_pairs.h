// SPDX-License-Identifier: Apache-2.0
// The pairs of one audit and what has come of each: those of its plan, and those that were added to
// tell who is to blame.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/audit/judging.h"
#include "controller/probing/plan.h"

namespace roceready {

class AuditedPairs {
 public:
  AuditedPairs() = default;
  // Of an audit that has ended: results alone.
  explicit AuditedPairs(std::vector<std::shared_ptr<const v1::ProbeResult>> results);

  // Takes the plan's pairs; `work` is left. Their probe ids go on where the last plan's ended.
  void Add(const std::string& audit_id, ProbePlanned* plan);
  // Of the first probe of the next plan.
  std::size_t next_number() const { return by_probe_.size() + 1; }
  bool IsRetest(const v1::ProbeResult& result) const;

  void Ended(std::shared_ptr<const v1::ProbeResult> result);
  // It says nothing of the pair; why is in its words.
  void EndedWithout(const v1::ProbeResult& result);
  // Whose turn has not come will not be begun.
  void LeaveRest(const std::string& reason);
  // No pair without a result will have one.
  void EndEarly(const std::string& reason);

  const ProbesToJudge& to_judge() const { return probes_; }
  ProbesToJudge& to_judge() { return probes_; }

 private:
  checks::PlannedProbe* Find(const v1::ProbeResult& result);

  ProbesToJudge probes_;
  std::map<std::string, std::size_t> by_probe_;  // probe id -> place in probes_.planned
};

}  // namespace roceready
