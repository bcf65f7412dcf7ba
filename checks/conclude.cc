// SPDX-License-Identifier: Apache-2.0
// Conclude() and Evaluate(): pairs, fleet and probes on top of what each host said, then
// severities, waivers, folding and the verdict.
#include <algorithm>
#include <deque>
#include <set>

#include "checks/check.h"
#include "checks/evaluate.h"
#include "checks/fold.h"
#include "checks/host_judgement.h"
#include "checks/policy/effective_policy.h"
#include "checks/policy/site_rule.h"
#include "checks/probe_bandwidth.h"
#include "checks/probe_view.h"
#include "checks/switch/planned_end.h"
#include "checks/switch/scope.h"
#include "checks/verdict.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// One probe end as a port.
PortKey KeyOf(const v1::ProbeEnd& end) { return {end.host(), end.rdma_device_id(), end.port()}; }
PortKey KeyOf(const RailPort& port) { return {port.host, port.rdma_device_id, port.port}; }

using PairKey = std::pair<PortKey, PortKey>;
PairKey Unordered(PortKey a, PortKey b) {
  return b < a ? PairKey(std::move(b), std::move(a)) : PairKey(std::move(a), std::move(b));
}

class Conclusion {
 public:
  Conclusion(const std::vector<HostJudgementPtr>& hosts, const FleetInput& fleet)
      : hosts_(hosts), fleet_(fleet) {}

  v1::AuditReport Make() {
    for (const HostJudgementPtr& host : hosts_) {
      for (const auto& [id, tally] : host->tallies) AddTally(tallies_, id, tally);
      drafts_.insert(drafts_.end(), host->drafts.begin(), host->drafts.end());
      policies_[host->host] = host->policy;
      for (const auto& [port, label] : host->labels) labels_[port] = label;
      for (const auto& [port, capacity] : host->capacities) capacities_[port] = &capacity;
    }
    JudgeSwitches();
    JudgePairs();
    JudgeFleet();
    const std::vector<ProbedPair> probes = ViewProbes();
    JudgeProbes(probes);
    AddGiven();
    for (Draft& draft : drafts_) Settle(draft);
    FoldFindings(drafts_);
    return MakeReport({hosts_, fleet_, probes, scope_, std::move(drafts_), std::move(tallies_)});
  }

 private:
  bool IsEnabled(const Check& check) const { return fleet_.policy->RuleOf(check.id).enabled; }

  void Take(const Check& check, Judge& judge) {
    AddTally(tallies_, check.id, judge.tally());
    for (Draft& draft : judge.TakeDrafts()) drafts_.push_back(std::move(draft));
  }

  // What is wrong with a switch port concerns the hosts' ports that are plugged into it.
  void JudgeSwitches() {
    if (fleet_.switches == nullptr) return;
    std::map<PortKey, std::vector<PortKey>> plugged_into;
    AuditedHosts audited;
    for (const HostJudgementPtr& host : hosts_) {
      if (!host->in_maintenance) audited.names.insert(ShortName(host->host));
      for (const auto& [port, above] : host->plugged_into) {
        audited.plugged_into.insert(port);
        std::vector<PortKey>& all = plugged_into[port];
        all.insert(all.end(), above.begin(), above.end());
      }
    }
    scope_ = ScopeOf(*fleet_.switches, audited);
    const size_t before = drafts_.size();
    for (const SwitchView& view : scope_.views) {
      policies_[view.name()] = &view.policy();
      for (const Check& check : Catalog()) {
        if (check.at_switch == nullptr || !view.policy().RuleOf(check.id).enabled) continue;
        Judge judge(check, v1::SCOPE_SWITCH, view.policy());
        check.at_switch(view, judge);
        Take(check, judge);
      }
    }
    for (size_t i = before; i < drafts_.size(); ++i) {
      const v1::Subject& subject = drafts_[i].finding.subject();
      const auto above =
          plugged_into.find(SwitchPortKey(subject.switch_name(), subject.switch_port()));
      if (above == plugged_into.end()) continue;
      std::vector<PortKey>& touches = drafts_[i].touches;
      touches.insert(touches.end(), above->second.begin(), above->second.end());
    }
  }

  // Neighbours on each rail, and every pair that was planned to be probed.
  std::set<PairKey> PairsToCompare() const {
    std::vector<RailPort> ports;
    for (const HostJudgementPtr& host : hosts_) {
      ports.insert(ports.end(), host->rails.begin(), host->rails.end());
    }
    std::set<PairKey> pairs;
    for (const auto& [name, rail] : GroupByRail(ports)) {
      for (const RailPair& pair : RingOf(rail)) {
        pairs.insert(Unordered(KeyOf(pair.a), KeyOf(pair.b)));
      }
    }
    for (const PlannedProbe& planned : fleet_.probes.planned) {
      pairs.insert(Unordered(KeyOf(planned.a), KeyOf(planned.b)));
    }
    return pairs;
  }

  void JudgePairs() {
    const std::set<PairKey> pairs = PairsToCompare();
    for (const Check& check : Catalog()) {
      if (check.pair == nullptr || !IsEnabled(check)) continue;
      std::map<PortKey, const Observation*> by_port;
      for (const HostJudgementPtr& host : hosts_) {
        const auto found = host->observations.find(check.id);
        if (found == host->observations.end()) continue;
        for (const Observation& one : found->second) {
          by_port[{one.subject.host(), one.subject.device_id(), one.subject.port()}] = &one;
        }
      }
      Judge judge(check, v1::SCOPE_PAIR, *fleet_.policy);
      for (const auto& [a, b] : pairs) {
        const auto at_a = by_port.find(a), at_b = by_port.find(b);
        // An end without an observation is a silent host: host.heard-from says it.
        if (at_a != by_port.end() && at_b != by_port.end()) {
          check.pair(*at_a->second, *at_b->second, judge);
        }
      }
      Take(check, judge);
    }
  }

  void JudgeFleet() {
    for (const Check& check : Catalog()) {
      if (check.fleet == nullptr || !IsEnabled(check)) continue;
      std::map<std::string_view, FleetGroup> groups;
      for (const HostJudgementPtr& host : hosts_) {
        const auto found = host->observations.find(check.id);
        if (found == host->observations.end()) continue;
        for (const Observation& one : found->second) {
          FleetGroup& group = groups[one.group];
          group.name = one.group;
          (one.value.empty() ? group.unknown : group.by_value[one.value]).push_back(&one);
        }
      }
      Judge judge(check, v1::SCOPE_FLEET, *fleet_.policy);
      for (const auto& [name, group] : groups) check.fleet(group, judge);
      Take(check, judge);
    }
  }

  std::vector<ProbedPair> ViewProbes() const {
    // Two ports with addresses in two subnets are two pairs, each with a probe of its own.
    std::map<PairKey, std::deque<const v1::ProbeResult*>> results;
    for (const v1::ProbeResult* result : fleet_.probes.results) {
      const v1::ProbeSpec& spec = result->spec();
      std::deque<const v1::ProbeResult*>& of_pair =
          results[Unordered(KeyOf(spec.a()), KeyOf(spec.b()))];
      const auto other = std::ranges::find_if(of_pair, [&](const v1::ProbeResult* one) {
        return one->spec().probe_id() == spec.probe_id();
      });
      if (other == of_pair.end()) {
        of_pair.push_back(result);
      } else if ((*other)->spec().attempt() <= spec.attempt()) {
        *other = result;
      }
    }
    std::vector<ProbedPair> views;
    const auto add = [&](const PlannedProbe& planned, const v1::ProbeResult* result) {
      ProbedPair view = ViewProbe(planned, result);
      SetLabel(view.a, view.label_a);
      SetLabel(view.b, view.label_b);
      views.push_back(std::move(view));
    };
    for (const PlannedProbe& planned : fleet_.probes.planned) {
      const auto found = results.find(Unordered(KeyOf(planned.a), KeyOf(planned.b)));
      const bool is_probed = found != results.end() && !found->second.empty();
      add(planned, is_probed ? found->second.front() : nullptr);
      if (is_probed) found->second.pop_front();
    }
    for (const auto& [pair, unplanned] : results) {
      for (const v1::ProbeResult* result : unplanned) {
        add({.a = result->spec().a(), .b = result->spec().b(), .missing_reason = {}}, result);
      }
    }
    CompareBandwidths(views, [this](const v1::ProbeEnd& end) {
      const auto found = capacities_.find(KeyOf(end));
      return found == capacities_.end() ? nullptr : found->second;
    });
    return views;
  }

  void SetLabel(const v1::ProbeEnd& end, std::string& label) const {
    const auto found = labels_.find(KeyOf(end));
    if (found != labels_.end()) label = found->second;
  }

  void JudgeProbes(const std::vector<ProbedPair>& probes) {
    for (const Check& check : Catalog()) {
      if (check.probe == nullptr || !IsEnabled(check)) continue;
      Judge judge(check, v1::SCOPE_PROBE, *fleet_.policy);
      for (const ProbedPair& pair : probes) check.probe(pair, judge);
      if (check.id == "probe.write") JudgePlan(probes, judge);
      Take(check, judge);
    }
  }

  // Probes were asked for and several hosts are there, yet no two share a rail: that is no pass.
  void JudgePlan(const std::vector<ProbedPair>& probes, Judge& judge) {
    const auto judged =
        std::ranges::count_if(hosts_, [](const HostJudgementPtr& host) { return host->judged; });
    if (!fleet_.probes.asked || !probes.empty() || judged < 2) return;
    v1::Subject subject;
    subject.set_group("all hosts");
    subject.set_label("all hosts");
    Draft& draft =
        judge.Unknown(subject, "no two hosts have RoCE ports in one IPv4 subnet: nothing to probe")
            .Expected("pairs of ports on a common rail")
            .MendedBy("Check addresses and prefix lengths of the RoCE net devices.");
    for (const HostJudgementPtr& host : hosts_) draft.touches.push_back({host->host, {}, 0});
  }

  void AddGiven() {
    for (const v1::Finding& given : fleet_.given) {
      const Check* check = FindCheck(given.check_id());
      if (check == nullptr || !IsEnabled(*check)) continue;
      Draft& draft = drafts_.emplace_back();
      draft.finding = given;
      draft.policy = fleet_.policy;
      draft.touches = PortsOfSubject(given.subject());
      draft.finding.set_key(FindingKey(given.check_id(), given.subject()));
      draft.finding.set_scope(check->scope);
      v1::CheckTally tally;
      tally.set_evaluated(1);
      (given.status() == v1::CHECK_STATUS_FAIL ? tally.set_fail(1) : tally.set_unknown(1));
      AddTally(tallies_, check->id, tally);
    }
  }

  // Severity, on_unknown and waiver.
  void Settle(Draft& draft) {
    v1::Finding& finding = draft.finding;
    const CheckRule rule = draft.policy->RuleOf(finding.check_id());
    if (const SiteRule* of_site = draft.policy->SiteRuleOf(finding.check_id())) {
      finding.set_severity(rule.severity.value_or(of_site->severity()));
      finding.set_on_unknown(rule.on_unknown.value_or(of_site->on_unknown()));
    } else {
      const Check& check = *FindCheck(finding.check_id());
      finding.set_severity(rule.severity.value_or(check.severity));
      finding.set_on_unknown(rule.on_unknown.value_or(check.on_unknown));
    }
    if (finding.policy_source().empty()) finding.set_policy_source(rule.source);
    const v1::Subject& subject = finding.subject();
    for (const std::string& host : {subject.host(), subject.peer_host(), subject.switch_name()}) {
      const auto policy = policies_.find(host);
      if (policy == policies_.end()) continue;
      const v1::Waiver* waiver = policy->second->WaiverFor(finding.check_id(), fleet_.now);
      if (waiver == nullptr) continue;
      finding.set_waived_by(waiver->id());
      v1::CheckTally& tally = tallies_[finding.check_id()];
      tally.set_waived(tally.waived() + 1);
      break;
    }
  }

  const std::vector<HostJudgementPtr>& hosts_;
  const FleetInput& fleet_;
  SwitchScope scope_;
  std::deque<Draft> drafts_;
  Tallies tallies_;
  std::map<std::string, const EffectivePolicy*> policies_;
  std::map<PortKey, std::string> labels_;
  std::map<PortKey, const PortCapacity*> capacities_;
};

}  // namespace

v1::AuditReport Conclude(const std::vector<HostJudgementPtr>& hosts, const FleetInput& fleet) {
  return Conclusion(hosts, fleet).Make();
}

v1::AuditReport Evaluate(const AuditInput& input) {
  std::vector<HostJudgementPtr> hosts;
  hosts.reserve(input.hosts.size());
  for (const HostInput& host : input.hosts) hosts.push_back(JudgeHost(host));
  return Conclude(hosts, input.fleet);
}

std::string FindingKey(std::string_view check_id, const v1::Subject& subject) {
  std::string key(check_id);
  const auto add = [&key](std::string_view name, const std::string& value) {
    if (!value.empty()) key += fmt::format(" {}={}", name, value);
  };
  add("host", subject.host());
  add("device", subject.device_id());
  if (subject.port() != 0) add("port", std::to_string(subject.port()));
  add("net", subject.net_device_id());
  if (subject.has_priority()) add("priority", std::to_string(subject.priority()));
  add("peer", subject.peer_host());
  add("peer-device", subject.peer_device_id());
  add("switch", subject.switch_name());
  add("switch-port", subject.switch_port());
  add("group", subject.group());
  return key;
}

}  // namespace roceready::checks
