// SPDX-License-Identifier: Apache-2.0
// What an audit makes of its plan's pairs when they are through: a report, and who is probed again
// to tell who is to blame. Functions of values that the worker runs.
#pragma once

#include <string>
#include <vector>

#include "controller/audit/judging.h"
#include "controller/probing/plan.h"
#include "controller/probing/retest.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {

// Of a plan of that kind some ports have met only few others. Not of `pair`, where the user named
// the two, nor of an incast; and in `full` all have met.
bool MayBeRetested(const v1::ProbePlan& asked, v1::PlanKind kind);

struct AfterPlan {
  // The last one, where no pair is added.
  v1::AuditReport report;
  RetestPlan retests;
};

struct AfterPlanInput {
  std::vector<v1::Finding> given;
  WallTime now;
  // As for the plan, with who cannot be reached by now; the number of the next probe.
  PlanInput plan;
  std::size_t next_number = 0;
};

AfterPlan JudgeAfterPlan(const JudgedHosts& hosts, ProbesToJudge probes, AfterPlanInput input);

}  // namespace roceready
