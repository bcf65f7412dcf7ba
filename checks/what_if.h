// SPDX-License-Identifier: Apache-2.0
// How two reports differ that judge the same facts by two policies: who would turn red or green,
// and by which checks. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "roceready/v1/finding.pb.h"

namespace roceready::checks {

// Red: a blocking finding names the host. Unknown: it has no facts, or something about it is
// unknown that has to be known.
enum class Standing { kGreen, kRed, kUnknown, kInMaintenance };

struct HostChange {
  std::string host;
  Standing before = Standing::kUnknown;
  Standing after = Standing::kUnknown;
};

// What a finding counts, least first. None: there is none, as the check passes, cannot matter or is
// off.
enum class Weight { kNone, kWaived, kUnknown, kAdvice, kDegrades, kMustBeKnown, kBlocks };

// The findings of one check that go the same way.
struct CheckMove {
  std::string check_id;
  Weight before = Weight::kNone;
  Weight after = Weight::kNone;
  // At least one, in the order of the report. They stand in the report after; where nothing is
  // found there any more, in the one before.
  std::vector<const v1::Finding*> findings;
  // Each follows from another finding.
  bool follows = false;
};

struct WhatIf {
  // In the order given.
  std::vector<HostChange> hosts;
  // The gravest now first, then what was gravest before.
  std::vector<CheckMove> moves;
};

// What both reports judged.
struct ComparedReports {
  const v1::AuditReport& before;
  const v1::AuditReport& after;
  // All hosts asked for.
  const std::vector<std::string>& hosts;
  // False where only one of the two saw what the controller alone knows: the switches'
  // configurations, and agents that go by one name. Findings of such checks are then left out of
  // both.
  bool judged_alike = true;
};

// Pointers go into the reports.
WhatIf CompareReports(const ComparedReports& reports);

// Whether a check judges what a controller alone knows.
bool NeedsController(std::string_view check_id);

}  // namespace roceready::checks
