// SPDX-License-Identifier: Apache-2.0
// A set of hosts under one policy, judged and kept, so that the next question about it costs only
// what has changed. Used by one thread at a time: the worker's.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/audit/judging.h"

namespace roceready {

class StandingJudgement {
 public:
  StandingJudgement(HostsToJudge hosts, MonotonicTime now);

  // Hosts of the set that have changed.
  void Update(std::vector<HostSnapshot> changed, MonotonicTime now);

  // As of now: what was judged earlier has grown older since, and so have the readings it rests on.
  v1::AuditReport Conclude(const ProbesToJudge& probes, std::vector<v1::Finding> given,
                           WallTime wall, MonotonicTime now) const;

 private:
  std::shared_ptr<JudgedHosts> judged_;
  // The switches' readings are of this time.
  MonotonicTime made_at_;
  std::map<std::string, MonotonicTime, std::less<>> judged_at_;  // by host
};

}  // namespace roceready
