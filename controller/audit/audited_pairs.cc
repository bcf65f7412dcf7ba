// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/audited_pairs.h"

#include <iterator>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

// Of a pair that is planned and has no result.
constexpr char kNotYetRun[] = "its turn has not come";

}  // namespace

AuditedPairs::AuditedPairs(std::vector<std::shared_ptr<const v1::ProbeResult>> results) {
  probes_.results = std::move(results);
}

void AuditedPairs::Add(const std::string& audit_id, ProbePlanned* plan) {
  const std::size_t first = probes_.planned.size();
  std::ranges::move(plan->planned, std::back_inserter(probes_.planned));
  for (std::size_t i = 0; i < plan->work.pairs.size(); ++i) {
    by_probe_[fmt::format("{}-{}", audit_id, next_number())] = first + i;
    probes_.planned[first + i].missing_reason = kNotYetRun;
  }
}

checks::PlannedProbe* AuditedPairs::Find(const v1::ProbeResult& result) {
  const auto found = by_probe_.find(result.spec().probe_id());
  return found == by_probe_.end() ? nullptr : &probes_.planned[found->second];
}

bool AuditedPairs::IsRetest(const v1::ProbeResult& result) const {
  const auto found = by_probe_.find(result.spec().probe_id());
  return found != by_probe_.end() && probes_.planned[found->second].is_retest;
}

void AuditedPairs::Ended(std::shared_ptr<const v1::ProbeResult> result) {
  if (checks::PlannedProbe* planned = Find(*result)) planned->missing_reason.clear();
  probes_.results.push_back(std::move(result));
}

void AuditedPairs::EndedWithout(const v1::ProbeResult& result) {
  checks::PlannedProbe* planned = Find(result);
  if (planned == nullptr) return;
  planned->missing_reason = !result.detail().empty()        ? result.detail()
                            : !result.failed_step().empty() ? result.failed_step()
                                                            : "an end did not report";
}

void AuditedPairs::LeaveRest(const std::string& reason) {
  for (checks::PlannedProbe& planned : probes_.planned) {
    if (planned.missing_reason == kNotYetRun) planned.missing_reason = reason;
  }
}

void AuditedPairs::EndEarly(const std::string& reason) {
  for (checks::PlannedProbe& planned : probes_.planned) {
    if (!planned.missing_reason.empty()) planned.missing_reason = reason;
  }
}

}  // namespace roceready
