// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/last_verdicts.h"

#include <set>
#include <string_view>

namespace roceready {

void LastVerdicts::Note(const std::vector<std::string>& hosts, const v1::Audit& audit,
                        const Fleet& fleet) {
  if (!audit.has_verdict()) return;
  const v1::Verdict& verdict = audit.verdict();
  const auto& blocked_hosts = verdict.hosts_blocked();
  const std::set<std::string_view> blocked(blocked_hosts.begin(), blocked_hosts.end());
  const auto& missing_hosts = verdict.coverage().hosts_missing();
  const std::set<std::string_view> missing(missing_hosts.begin(), missing_hosts.end());
  for (const std::string& host : hosts) {
    if (fleet.Find(host) == nullptr) continue;
    // Who is missing holds the set back as well, but nothing is known to be wrong with it.
    last_[host] = missing.contains(host)   ? v1::READINESS_UNDETERMINED
                  : blocked.contains(host) ? v1::READINESS_NOT_READY
                                           : v1::READINESS_READY;
  }
}

std::map<v1::Readiness, std::size_t> LastVerdicts::Count() const {
  std::map<v1::Readiness, std::size_t> count;
  for (const auto& [host, readiness] : last_) ++count[readiness];
  return count;
}

}  // namespace roceready
