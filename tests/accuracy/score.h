// SPDX-License-Identifier: Apache-2.0
// What a case wants against what was said about it, and what that adds up to.
//
// A positive is a root cause: a finding that is FAIL, not waived and not folded under another, or a
// blocking UNKNOWN. A label is met by one such finding or more; a finding that no label names is
// raised without cause. UNKNOWNs that do not block are said on healthy hosts too, where a driver
// does not show something: they count only where a label asks for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/accuracy/case_audit.h"
#include "tests/accuracy/case_file.h"

namespace roceready::accuracy {

struct Outcome {
  std::string group;
  std::string name;
  std::string mode;
  unsigned met = 0;
  // As the labels are written.
  std::vector<std::string> missed;
  // "CHECK WHO DEVICE: what it found".
  std::vector<std::string> raised;
  // "not-ready, expected ready"; empty where it is right.
  std::string verdict_wrong;
};

Outcome Compare(const Case& one, const Audit& audit);

struct Tally {
  unsigned cases = 0;
  unsigned met = 0;
  unsigned missed = 0;
  unsigned raised = 0;
  unsigned verdicts_wrong = 0;

  Tally& operator+=(const Outcome& outcome);
  // 1 where there is nothing to be right or wrong about.
  double Precision() const;
  double Recall() const;
  double Verdicts() const;
};

// By group, then in all, then the confusions.
std::string Render(const std::vector<Outcome>& outcomes);

}  // namespace roceready::accuracy
