// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/after_plan.h"

#include <utility>

#include "checks/blame/open_pairs.h"

namespace roceready {

bool MayBeRetested(const v1::ProbePlan& asked, v1::PlanKind kind) {
  return !asked.no_retest() && (kind == v1::PLAN_KIND_RING || kind == v1::PLAN_KIND_SPARSE);
}

AfterPlan JudgeAfterPlan(const JudgedHosts& hosts, ProbesToJudge probes, AfterPlanInput input) {
  AfterPlan after;
  checks::OpenPairs open;
  after.report = ConcludeAudit(hosts, probes, input.given, input.now, &open);
  after.retests = PlanRetests(input.plan, probes.planned, open, input.next_number);
  const bool is_last = after.retests.plan.work.pairs.empty();
  if (is_last && !after.retests.not_retested.empty()) {
    probes.not_retested = after.retests.not_retested;
    after.report = ConcludeAudit(hosts, probes, std::move(input.given), input.now);
  }
  return after;
}

}  // namespace roceready
