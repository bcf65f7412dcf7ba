// SPDX-License-Identifier: Apache-2.0
// A set of hosts under one policy, judged and kept, so that the next question about it costs only
// what has changed. Used by one thread at a time: the worker's.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "controller/audit/judging.h"

namespace roceready {

class StandingJudgement {
 public:
  explicit StandingJudgement(HostsToJudge hosts) : judged_(JudgeHosts(std::move(hosts))) {}

  // Hosts of the set that have changed.
  void Update(std::vector<HostSnapshot> changed) { JudgeAgain(std::move(changed), judged_.get()); }

  // The ages of the evidence are those when its host was judged.
  v1::AuditReport Conclude(const ProbesToJudge& probes, std::vector<v1::Finding> given,
                           WallTime wall) const {
    return ConcludeAudit(*judged_, probes, std::move(given), wall);
  }

 private:
  const std::shared_ptr<JudgedHosts> judged_;
};

}  // namespace roceready
