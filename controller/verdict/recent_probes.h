// SPDX-License-Identifier: Apache-2.0
// What the probes of earlier audits found between the hosts of a set.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/audit/audit_book.h"

namespace roceready {

struct RecentProbes {
  // Of each pair of ports the latest result that is not a refusal.
  ProbesToJudge probes;
  // The audits these are of, newest first.
  std::vector<std::string> audit_ids;
  // Since the oldest of them was asked for; none: there is no result.
  std::optional<Duration> oldest;
};

// The audits whose probes count, newest first: they have ended, were asked for at most `max_age`
// ago, and were judged by this very policy: another one has its traffic elsewhere.
std::vector<std::shared_ptr<const AuditRun>> AuditsThatCount(const AuditBook& audits,
                                                             const LoadedPolicy& policy,
                                                             Duration max_age, WallTime now);

// Of ended audits, so on any thread.
RecentProbes FindRecentProbes(const std::vector<std::shared_ptr<const AuditRun>>& audits,
                              const std::vector<std::string>& hosts, WallTime now);

}  // namespace roceready
