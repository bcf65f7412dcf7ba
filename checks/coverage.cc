// SPDX-License-Identifier: Apache-2.0
#include "checks/coverage.h"

#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/policy/site_rule.h"
#include "checks/probe/wire.h"
#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::checks {
namespace {

void CountHosts(const std::vector<HostJudgementPtr>& hosts, v1::Coverage& coverage) {
  std::set<std::string> missing, maintenance;
  std::optional<Age> oldest;
  size_t ports = 0;
  for (const HostJudgementPtr& host : hosts) {
    if (host->in_maintenance) {
      maintenance.insert(host->host);
    } else if (!host->judged) {
      missing.insert(host->host);
    } else {
      coverage.set_hosts_judged(coverage.hosts_judged() + 1);
      ports += host->labels.size();
      if (host->oldest_fact) oldest = std::max(oldest.value_or(Age::zero()), *host->oldest_fact);
    }
  }
  coverage.set_hosts_asked(static_cast<uint32_t>(hosts.size()));
  coverage.set_ports_judged(static_cast<uint32_t>(ports));
  for (const std::string& host : SortedHosts(missing)) coverage.add_hosts_missing(host);
  for (const std::string& host : SortedHosts(maintenance)) {
    coverage.add_hosts_in_maintenance(host);
  }
  if (oldest) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*oldest);
    coverage.mutable_oldest_fact()->set_seconds(seconds.count());
    coverage.mutable_oldest_fact()->set_nanos(static_cast<int32_t>((*oldest - seconds).count()));
  }
}

void CountSwitches(const Settled& settled, v1::Coverage& coverage) {
  if (settled.fleet.switches == nullptr) return;
  size_t ports = 0, host_ports = 0, joined = 0;
  for (const SwitchView& view : settled.judged.switches().scope().views)
    ports += view.ports().size();
  for (const HostJudgementPtr& host : settled.judged.hosts()) {
    host_ports += host->carriers;
    joined += host->plugged_into.size();
  }
  coverage.set_switches_judged(
      static_cast<uint32_t>(settled.judged.switches().scope().views.size()));
  coverage.set_switch_ports_judged(static_cast<uint32_t>(ports));
  coverage.set_host_ports(static_cast<uint32_t>(host_ports));
  coverage.set_host_ports_joined(static_cast<uint32_t>(std::min(joined, host_ports)));
}

// Of ways without a lost packet, the one that could have hidden the most.
void RaiseLossBound(const ProbedPair& pair, std::optional<double>& bound) {
  for (const PathLoss& loss : pair.losses) {
    if (loss.counted && loss.events == 0 && loss.ambiguous == 0 && loss.packets > 0) {
      bound = std::max(bound.value_or(0), loss.UpperBound());
    }
  }
}

void CountProbes(const Settled& settled, v1::Coverage& coverage) {
  coverage.set_pairs_possible(settled.judged.pairs().possible_pairs());
  uint64_t planned = 0, probed = 0, writes = 0, reads = 0, seen_rocev2 = 0;
  std::optional<double> bound;
  for (const ProbedPair& pair : settled.probes) {
    // Several to one port say nothing of the pairs.
    if (!pair.incast_group.empty()) continue;
    RaiseLossBound(pair, bound);
    // What the plan covers is told by its own pairs.
    if (pair.is_retest) continue;
    ++planned;
    bool told = false;
    for (const VerbVerdict& verdict : pair.verbs) {
      told |= verdict.status == v1::CHECK_STATUS_PASS || verdict.status == v1::CHECK_STATUS_FAIL;
      if (verdict.verified) ++(verdict.verb == Verb::kWrite ? writes : reads);
    }
    if (told) ++probed;
    for (const Path path : kPaths) seen_rocev2 += ArrivedAsRocev2(pair, path) ? 1 : 0;
  }
  coverage.set_pairs_planned(planned);
  coverage.set_pairs_probed(probed);
  coverage.set_writes_verified(writes);
  coverage.set_reads_verified(reads);
  coverage.set_ways_seen_rocev2(seen_rocev2);
  if (bound) coverage.set_loss_below_percent(*bound * 100);
}

// "leaf[2-400]"; empty where that is too long to read.
std::string NamesIfShort(const std::vector<std::string>& names) {
  constexpr size_t kLongest = 60;
  const std::string list = FoldHostList(names);
  return list.size() > kLongest ? "" : ": " + list;
}

std::string AgeWords(Age age) {
  const auto hours = std::chrono::duration_cast<std::chrono::hours>(age).count();
  return hours < 48 ? Counted(static_cast<uint64_t>(hours), "hour")
                    : Counted(static_cast<uint64_t>(hours / 24), "day");
}

// Configurations that may no longer be what the switches are set to.
void ListAgedSwitches(const Settled& settled, v1::Coverage& coverage) {
  std::vector<std::string> aged;
  Age oldest = Age::zero();
  for (const SwitchView& view : settled.judged.switches().scope().views) {
    if (!view.age() || *view.age() <= kMaxSwitchAge) continue;
    aged.push_back(view.name());
    oldest = std::max(oldest, *view.age());
  }
  if (aged.size() == 1) {
    coverage.add_not_audited(
        fmt::format("what was set since on {0}: {0}'s configuration is {1} old", aged.front(),
                    AgeWords(oldest)));
  } else if (!aged.empty()) {
    coverage.add_not_audited(
        fmt::format("what was set since on {} switches: their configurations are up to {} old{}",
                    aged.size(), AgeWords(oldest), NamesIfShort(aged)));
  }
}

void ListSwitchesNotAudited(const Settled& settled, v1::Coverage& coverage) {
  const SwitchScope& scope = settled.judged.switches().scope();
  if (settled.fleet.switches == nullptr) {
    coverage.add_not_audited("switch settings (not audited: no switch's configuration was given)");
  } else if (scope.is_cabling_unknown) {
    coverage.add_not_audited(
        "the hosts' cabling (neither LLDP nor a switch's configuration tells which switch ports "
        "they are plugged into: every switch was judged whole)");
  } else if (coverage.host_ports_joined() < coverage.host_ports()) {
    coverage.add_not_audited(
        fmt::format("the switch ports of {} of {} (neither LLDP nor a switch's "
                    "configuration tells which they are)",
                    coverage.host_ports() - coverage.host_ports_joined(),
                    Counted(coverage.host_ports(), "host port")));
  }
  if (!scope.unrelated.empty()) {
    coverage.add_not_audited(
        fmt::format("{} switch{} with none of the audit's hosts{}", scope.unrelated.size(),
                    scope.unrelated.size() == 1 ? "" : "es", NamesIfShort(scope.unrelated)));
  }
  if (scope.ports_of_others > 0) {
    coverage.add_not_audited(fmt::format("{} of other hosts (by the switches' plans)",
                                         Counted(scope.ports_of_others, "switch port")));
  }
  ListAgedSwitches(settled, coverage);
}

void ListIdleVirtualFunctions(const Settled& settled, v1::Coverage& coverage) {
  size_t idle = 0;
  for (const HostJudgementPtr& host : settled.judged.hosts()) idle += host->idle_virtual_functions;
  if (idle == 0) return;
  coverage.add_not_audited(
      fmt::format("{} without an address, kept for guests", Counted(idle, "virtual function")));
}

// What nothing told us about: said in every report.
void ListNotAudited(const Settled& settled, const v1::AuditReport& report, v1::Coverage& coverage) {
  ListIdleVirtualFunctions(settled, coverage);
  ListSwitchesNotAudited(settled, coverage);
  // Of switches alone no host transfers anything.
  if (coverage.hosts_asked() == 0 && coverage.switches_judged() > 0) {
    coverage.add_not_audited("hosts (only switches were given)");
  } else if (!settled.fleet.probes.asked) {
    coverage.add_not_audited("transfers (no probes were asked for)");
  } else if (settled.probes.empty()) {
    coverage.add_not_audited("transfers (no pair to probe)");
  } else if (coverage.pairs_planned() == 0) {
    coverage.add_not_audited("transfers of pairs by themselves (only incasts were probed)");
  }
  if (!settled.fleet.probes.not_retested.empty()) {
    coverage.add_not_audited(settled.fleet.probes.not_retested);
  }
  for (const std::string& what : settled.fleet.policy->not_judged) coverage.add_not_audited(what);
  std::map<std::string, uint64_t> unknown;
  for (const v1::Finding& finding : report.findings()) {
    if (finding.status() == v1::CHECK_STATUS_UNKNOWN &&
        finding.on_unknown() != v1::ON_UNKNOWN_BLOCK) {
      ++unknown[finding.check_id()];
    }
  }
  const auto list = [&](const std::string& id) {
    const auto found = unknown.find(id);
    if (found == unknown.end()) return;
    const auto tally = settled.tallies.find(id);
    const uint64_t all = tally == settled.tallies.end() ? found->second : tally->second.evaluated();
    coverage.add_not_audited(fmt::format("{} on {} of {}", id, found->second, all));
  };
  for (const Check& check : Catalog()) list(std::string(check.id));
  for (const auto& [id, count] : unknown) {
    if (IsSiteCheckId(id)) list(id);
  }
}

}  // namespace

std::vector<std::string> SortedHosts(const std::set<std::string>& names) {
  std::vector<std::string> sorted(names.begin(), names.end());
  std::ranges::sort(sorted, HostNameLess);
  return sorted;
}

v1::Coverage CoverageOf(const Settled& settled, const v1::AuditReport& report) {
  v1::Coverage coverage;
  CountHosts(settled.judged.hosts(), coverage);
  CountSwitches(settled, coverage);
  CountProbes(settled, coverage);
  ListNotAudited(settled, report, coverage);
  return coverage;
}

}  // namespace roceready::checks
