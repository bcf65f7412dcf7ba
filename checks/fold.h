// SPDX-License-Identifier: Apache-2.0
// Folds what follows from another finding under it, so that a report names root causes.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "checks/judge.h"

namespace roceready::checks {

// Sets caused_by. A FAIL follows from a FAIL (of a setting, Check.is_setting, not from one that
// takes readings away); an UNKNOWN from an UNKNOWN, and from a FAIL that takes readings away
// (Check.takes_readings_away; pairs and probes from any). What is between two ports explains
// nothing of another pair. A waived finding explains nothing and follows from nothing. Of several
// explanations the first in the catalogue is taken.
void FoldFindings(std::deque<Draft>& drafts);

// One root cause as it is reported: the same finding at one or many subjects, with all that
// follows.
struct Block {
  // Same check, status, expectation and answer; at least one.
  std::vector<const v1::Finding*> roots;
  std::vector<const v1::Finding*> folded;
  // The gravest of roots and folded ones.
  v1::Severity severity = v1::SEVERITY_ADVICE;
  // FAIL; or UNKNOWN.
  v1::CheckStatus status = v1::CHECK_STATUS_FAIL;
  // UNKNOWN that makes a verdict UNDETERMINED.
  bool blocks_unknown = false;
  bool waived = false;

  // Has a number in a report; waived ones and UNKNOWNs that do not decide are only listed there.
  bool IsNumbered() const { return !waived && (status == v1::CHECK_STATUS_FAIL || blocks_unknown); }
  // Counts against readiness.
  bool Blocks() const {
    return !waived &&
           (blocks_unknown || (status == v1::CHECK_STATUS_FAIL && severity == v1::SEVERITY_BLOCKS));
  }
};

// In the order of a report: blocking, blocking unknown, degrading, advice, unknown, waived; within
// that by the catalogue and by host name. Pointers go into `findings`.
std::vector<Block> BlocksOf(const google::protobuf::RepeatedPtrField<v1::Finding>& findings);

}  // namespace roceready::checks
