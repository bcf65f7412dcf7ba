// SPDX-License-Identifier: Apache-2.0
#include "controller/verdict/standing_judgement.h"

#include <utility>

#include "proto/process/durations.h"

namespace roceready {

StandingJudgement::StandingJudgement(HostsToJudge hosts, MonotonicTime now) : made_at_(now) {
  for (const HostSnapshot& host : hosts.hosts) judged_at_[host.host] = now;
  judged_ = JudgeHosts(std::move(hosts));
}

void StandingJudgement::Update(std::vector<HostSnapshot> changed, MonotonicTime now) {
  for (const HostSnapshot& host : changed) judged_at_[host.host] = now;
  JudgeAgain(std::move(changed), judged_.get());
}

v1::AuditReport StandingJudgement::Conclude(const ProbesToJudge& probes,
                                            std::vector<v1::Finding> given, WallTime wall,
                                            MonotonicTime now) const {
  v1::AuditReport report = ConcludeAudit(*judged_, probes, std::move(given), wall);
  for (v1::Finding& finding : *report.mutable_findings()) {
    for (v1::Evidence& evidence : *finding.mutable_evidence()) {
      if (!evidence.has_age()) continue;
      const auto judged_at = judged_at_.find(evidence.host());
      const MonotonicTime since = judged_at == judged_at_.end() ? made_at_ : judged_at->second;
      *evidence.mutable_age() = ToProto(FromProto(evidence.age()) + (now - since));
    }
  }
  return report;
}

}  // namespace roceready
