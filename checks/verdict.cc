// SPDX-License-Identifier: Apache-2.0
#include "checks/verdict.h"

#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/fold.h"
#include "checks/policy/effective_policy.h"
#include "checks/switch/switch_set.h"
#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::checks {
namespace {

std::vector<std::string> Sorted(std::set<std::string> names) {
  std::vector<std::string> sorted(names.begin(), names.end());
  std::ranges::sort(sorted, HostNameLess);
  return sorted;
}

// Hosts without which nothing would block. A finding about a pair blames both ends until one of
// them is in the most such pairs: then that one alone.
std::vector<std::string> HostsBlocked(const std::vector<Block>& blocks) {
  std::set<std::string> blocked;
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Block& block : blocks) {
    if (!block.Blocks()) continue;
    for (const v1::Finding* root : block.roots) {
      const v1::Subject& subject = root->subject();
      // A switch is not left out by leaving out a host.
      if (subject.host().empty() && !subject.switch_name().empty()) return {};
      if (subject.host().empty()) continue;
      if (subject.peer_host().empty()) {
        blocked.insert(subject.host());
      } else {
        pairs.insert(std::minmax(subject.host(), subject.peer_host()));
      }
    }
  }
  const auto covered = [&](const auto& pair) {
    return blocked.contains(pair.first) || blocked.contains(pair.second);
  };
  std::erase_if(pairs, covered);
  while (!pairs.empty()) {
    std::map<std::string, int> count;
    for (const auto& [a, b] : pairs) {
      ++count[a];
      ++count[b];
    }
    const auto most =
        std::ranges::max_element(count, {}, [](const auto& one) { return one.second; });
    if (most->second == 1) {
      // Nothing tells which end it is.
      for (const auto& [a, b] : pairs) blocked.insert({a, b});
      break;
    }
    blocked.insert(most->first);
    std::erase_if(pairs, covered);
  }
  return Sorted(std::move(blocked));
}

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
  for (const std::string& host : Sorted(std::move(missing))) coverage.add_hosts_missing(host);
  for (const std::string& host : Sorted(std::move(maintenance))) {
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
  for (const SwitchView& view : settled.fleet.switches->views()) ports += view.ports().size();
  for (const HostJudgementPtr& host : settled.hosts) {
    host_ports += host->carriers;
    joined += host->plugged_into.size();
  }
  coverage.set_switches_judged(static_cast<uint32_t>(settled.fleet.switches->views().size()));
  coverage.set_switch_ports_judged(static_cast<uint32_t>(ports));
  coverage.set_host_ports(static_cast<uint32_t>(host_ports));
  coverage.set_host_ports_joined(static_cast<uint32_t>(std::min(joined, host_ports)));
}

// Pairs of ports of different hosts on one rail.
uint64_t PossiblePairs(const std::vector<HostJudgementPtr>& hosts) {
  std::map<std::string, std::map<std::string, uint64_t>> ports_by_rail;
  for (const HostJudgementPtr& host : hosts) {
    for (const RailPort& port : host->rails) ++ports_by_rail[port.rail][port.host];
  }
  uint64_t pairs = 0;
  for (const auto& [rail, ports_by_host] : ports_by_rail) {
    uint64_t before = 0;
    for (const auto& [host, ports] : ports_by_host) {
      pairs += before * ports;
      before += ports;
    }
  }
  return pairs;
}

void CountProbes(const Settled& settled, v1::Coverage& coverage) {
  coverage.set_pairs_possible(PossiblePairs(settled.hosts));
  coverage.set_pairs_planned(settled.probes.size());
  uint64_t probed = 0, writes = 0, reads = 0;
  std::optional<double> bound;
  for (const ProbedPair& pair : settled.probes) {
    bool told = false;
    for (const VerbVerdict& verdict : pair.verbs) {
      told |= verdict.status == v1::CHECK_STATUS_PASS || verdict.status == v1::CHECK_STATUS_FAIL;
      if (verdict.verified) ++(verdict.verb == Verb::kWrite ? writes : reads);
    }
    if (told) ++probed;
    for (const PathLoss& loss : pair.losses) {
      if (loss.counted && loss.events == 0 && loss.ambiguous == 0 && loss.packets > 0) {
        bound = std::max(bound.value_or(0), loss.UpperBound());
      }
    }
  }
  coverage.set_pairs_probed(probed);
  coverage.set_writes_verified(writes);
  coverage.set_reads_verified(reads);
  if (bound) coverage.set_loss_below_percent(*bound * 100);
}

// What nothing told us about: said in every report.
void ListNotAudited(const Settled& settled, const v1::AuditReport& report, v1::Coverage& coverage) {
  if (coverage.switches_judged() == 0) {
    coverage.add_not_audited("switch settings (not audited: no switch's configuration was given)");
  } else if (coverage.host_ports_joined() < coverage.host_ports()) {
    coverage.add_not_audited(
        fmt::format("the switch ports of {} of {} (neither LLDP nor a switch's "
                    "configuration tells which they are)",
                    coverage.host_ports() - coverage.host_ports_joined(),
                    Counted(coverage.host_ports(), "host port")));
  }
  // Of switches alone no host transfers anything.
  if (coverage.hosts_asked() == 0 && coverage.switches_judged() > 0) {
    coverage.add_not_audited("hosts (only switches were given)");
  } else if (!settled.fleet.probes.asked) {
    coverage.add_not_audited("transfers (no probes were asked for)");
  } else if (settled.probes.empty()) {
    coverage.add_not_audited("transfers (no pair to probe)");
  }
  std::map<std::string, uint64_t> unknown;
  for (const v1::Finding& finding : report.findings()) {
    if (finding.status() == v1::CHECK_STATUS_UNKNOWN &&
        finding.on_unknown() != v1::ON_UNKNOWN_BLOCK) {
      ++unknown[finding.check_id()];
    }
  }
  for (const Check& check : Catalog()) {
    const auto found = unknown.find(std::string(check.id));
    if (found == unknown.end()) continue;
    const auto tally = settled.tallies.find(check.id);
    const uint64_t all = tally == settled.tallies.end() ? found->second : tally->second.evaluated();
    coverage.add_not_audited(fmt::format("{} on {} of {}", check.id, found->second, all));
  }
}

v1::Readiness ReadinessOf(const v1::AuditReport& report, const Tallies& tallies) {
  bool undetermined = false;
  for (const v1::Finding& finding : report.findings()) {
    if (!finding.waived_by().empty()) continue;
    if (finding.status() == v1::CHECK_STATUS_FAIL && finding.severity() == v1::SEVERITY_BLOCKS) {
      return v1::READINESS_NOT_READY;
    }
    undetermined |= finding.status() == v1::CHECK_STATUS_UNKNOWN &&
                    finding.on_unknown() == v1::ON_UNKNOWN_BLOCK;
  }
  // Silence is not a pass: some host (or, where only switches were given, some switch) must have
  // been looked at, and something must be right with it.
  const v1::Coverage& coverage = report.verdict().coverage();
  const bool looked =
      coverage.hosts_asked() > 0 ? coverage.hosts_judged() > 0 : coverage.switches_judged() > 0;
  bool passed = false;
  for (const auto& [id, tally] : tallies) passed |= id != "host.heard-from" && tally.pass() > 0;
  return undetermined || !passed || !looked ? v1::READINESS_UNDETERMINED : v1::READINESS_READY;
}

void CountBlocks(const std::vector<Block>& blocks, v1::Verdict& verdict) {
  for (const Block& block : blocks) {
    if (block.waived) continue;
    if (block.status == v1::CHECK_STATUS_UNKNOWN) {
      if (block.blocks_unknown) verdict.set_blocking_unknown(verdict.blocking_unknown() + 1);
    } else if (block.severity == v1::SEVERITY_BLOCKS) {
      verdict.set_blocking(verdict.blocking() + 1);
    } else if (block.severity == v1::SEVERITY_DEGRADES) {
      verdict.set_degrading(verdict.degrading() + 1);
    } else {
      verdict.set_advice(verdict.advice() + 1);
    }
  }
}

void SetTime(v1::Verdict& verdict, WallTime now) {
  const auto since = now.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  verdict.mutable_evaluated_at()->set_seconds(seconds.count());
  verdict.mutable_evaluated_at()->set_nanos(static_cast<int32_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds).count()));
}

// Root causes first, each followed by what it explains.
void Order(v1::AuditReport& report) {
  google::protobuf::RepeatedPtrField<v1::Finding> ordered;
  for (const Block& block : BlocksOf(report.findings())) {
    for (const v1::Finding* root : block.roots) *ordered.Add() = *root;
    for (const v1::Finding* folded : block.folded) *ordered.Add() = *folded;
  }
  *report.mutable_findings() = std::move(ordered);
}

}  // namespace

v1::AuditReport MakeReport(Settled settled) {
  v1::AuditReport report;
  for (Draft& draft : settled.drafts) *report.add_findings() = std::move(draft.finding);
  Order(report);
  v1::Verdict& verdict = *report.mutable_verdict();
  v1::Coverage& coverage = *verdict.mutable_coverage();
  CountHosts(settled.hosts, coverage);
  CountSwitches(settled, coverage);
  CountProbes(settled, coverage);
  ListNotAudited(settled, report, coverage);
  for (const Check& check : Catalog()) {
    const auto tally = settled.tallies.find(check.id);
    if (tally != settled.tallies.end()) *verdict.add_tallies() = tally->second;
  }
  const std::vector<Block> blocks = BlocksOf(report.findings());
  CountBlocks(blocks, verdict);
  for (const std::string& host : HostsBlocked(blocks)) verdict.add_hosts_blocked(host);
  verdict.set_policy_name(settled.fleet.policy->name);
  verdict.set_policy_digest(settled.fleet.policy->digest);
  SetTime(verdict, settled.fleet.now);
  verdict.set_readiness(ReadinessOf(report, settled.tallies));
  return report;
}

}  // namespace roceready::checks
