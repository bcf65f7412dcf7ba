// SPDX-License-Identifier: Apache-2.0
#include "controller/verdict/recent_probes.h"

#include <ranges>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "proto/process/durations.h"

namespace roceready {
namespace {

// A pair of ports, whichever of them is called A.
using PairKey = std::pair<std::string, std::string>;

PairKey KeyOf(const v1::ProbeSpec& spec) {
  std::string a = spec.a().SerializeAsString(), b = spec.b().SerializeAsString();
  if (b < a) std::swap(a, b);
  return {std::move(a), std::move(b)};
}

}  // namespace

std::vector<std::shared_ptr<const AuditRun>> AuditsThatCount(const AuditBook& audits,
                                                             const LoadedPolicy& policy,
                                                             Duration max_age, WallTime now) {
  std::vector<std::shared_ptr<const AuditRun>> that_count;
  for (std::shared_ptr<AuditRun>& run : audits.All()) {
    const v1::Audit& audit = run->audit();
    if (!run->ended() || now - FromProto(audit.created_at()) > max_age) continue;
    if (audit.verdict().policy_digest() == policy.digest()) that_count.push_back(std::move(run));
  }
  return that_count;
}

RecentProbes FindRecentProbes(const std::vector<std::shared_ptr<const AuditRun>>& audits,
                              const std::vector<std::string>& hosts, WallTime now) {
  RecentProbes recent;
  const std::unordered_set<std::string_view> wanted(hosts.begin(), hosts.end());
  std::set<PairKey> known;
  for (const std::shared_ptr<const AuditRun>& run : audits) {
    bool counts = false;
    // From the last to the first: of several attempts the last counts.
    for (const auto& result : std::views::reverse(run->probe_results())) {
      const v1::ProbeSpec& spec = result->spec();
      if (!wanted.contains(spec.a().host()) || !wanted.contains(spec.b().host())) continue;
      // It says how a port bears many at once, not how the pair is.
      if (spec.has_incast()) continue;
      // It says that there was no time for it, not how the pair is.
      if (result->refusal() != v1::REFUSAL_REASON_UNSPECIFIED) continue;
      if (!known.insert(KeyOf(spec)).second) continue;
      recent.probes.planned.push_back({.a = spec.a(), .b = spec.b(), .missing_reason = ""});
      recent.probes.results.push_back(result);
      counts = true;
    }
    if (!counts) continue;
    recent.audit_ids.push_back(run->audit().audit_id());
    recent.oldest = now - FromProto(run->audit().created_at());
  }
  recent.probes.asked = !recent.probes.results.empty();
  return recent;
}

}  // namespace roceready
