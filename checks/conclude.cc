// SPDX-License-Identifier: Apache-2.0
// Conclude() and Evaluate(): probes on top of what hosts, pairs and fleet said, then severities,
// waivers, folding and the verdict.
#include <algorithm>
#include <deque>
#include <set>
#include <span>

#include "checks/blame/blame.h"
#include "checks/blame/open_pairs.h"
#include "checks/blame/retest_words.h"
#include "checks/check.h"
#include "checks/evaluate.h"
#include "checks/fleet_judgement.h"
#include "checks/fold.h"
#include "checks/policy/effective_policy.h"
#include "checks/policy/site_rule.h"
#include "checks/probe/incast.h"
#include "checks/probe_bandwidth.h"
#include "checks/probe_latency.h"
#include "checks/probe_view.h"
#include "checks/verdict.h"

namespace roceready::checks {
namespace {

PortKey KeyOf(const v1::ProbeEnd& end) { return {end.host(), end.rdma_device_id(), end.port()}; }

// Two ports are together in one incast once: where one of them is the receiver.
using ProbeKey = std::pair<PortPair, std::string_view>;
ProbeKey KeyOf(const v1::ProbeEnd& a, const v1::ProbeEnd& b, std::string_view incast_group) {
  return {PortPair(PortRef::Of(a), PortRef::Of(b)), incast_group};
}

bool IsAlone(const ProbedPair& pair) { return pair.incast_group.empty(); }

// Those come last.
size_t FirstOfIncasts(std::span<const ProbedPair> probes) {
  return static_cast<size_t>(std::ranges::partition_point(probes, IsAlone) - probes.begin());
}

class Conclusion {
 public:
  Conclusion(const FleetJudgement& judged, const FleetInput& fleet)
      : judged_(judged), fleet_(fleet) {}

  v1::AuditReport Make(OpenPairs* open) {
    judged_.host_tallies().AddTo(tallies_);
    for (const HostJudgementPtr& host : judged_.hosts()) AppendDrafts(host->drafts);
    for (const auto& [id, tally] : judged_.switches().tallies()) AddTally(tallies_, id, tally);
    AppendDrafts(judged_.switches().drafts());
    judged_.pairs().Conclude(PlannedPairs(), tallies_, drafts_);
    judged_.groups().tallies().AddTo(tallies_);
    judged_.groups().AppendDrafts(drafts_);
    const std::vector<ProbedPair> probes = ViewProbes();
    const size_t incasts = FirstOfIncasts(probes);
    const std::span alone(probes.data(), incasts);
    JudgeProbes(alone, probes.empty());
    JudgeMatrix(alone);
    JudgeIncast(std::span(probes).subspan(incasts));
    AddGiven();
    for (Draft& draft : drafts_) Settle(draft);
    FoldFindings(drafts_);
    TellOfRetests(alone, drafts_);
    if (open != nullptr) *open = FindOpenPairs(alone, drafts_);
    return MakeReport({judged_, fleet_, probes, std::move(drafts_), std::move(tallies_)});
  }

 private:
  bool IsEnabled(const Check& check) const { return fleet_.policy->RuleOf(check.id).enabled; }

  template <typename Drafts>
  void AppendDrafts(const Drafts& drafts) {
    drafts_.insert(drafts_.end(), drafts.begin(), drafts.end());
  }

  std::set<PortPair> PlannedPairs() const {
    std::set<PortPair> pairs;
    for (const PlannedProbe& planned : fleet_.probes.planned) {
      pairs.insert({PortRef::Of(planned.a), PortRef::Of(planned.b)});
    }
    return pairs;
  }

  std::vector<ProbedPair> ViewProbes() const {
    // Two ports with addresses in two subnets are two pairs, each with a probe of its own.
    std::map<ProbeKey, std::deque<const v1::ProbeResult*>> results;
    for (const v1::ProbeResult* result : fleet_.probes.results) {
      const v1::ProbeSpec& spec = result->spec();
      std::deque<const v1::ProbeResult*>& of_pair =
          results[KeyOf(spec.a(), spec.b(), spec.incast().group())];
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
      const auto found = results.find(KeyOf(planned.a, planned.b, planned.incast_group));
      const bool is_probed = found != results.end() && !found->second.empty();
      add(planned, is_probed ? found->second.front() : nullptr);
      if (is_probed) found->second.pop_front();
    }
    for (const auto& [pair, unplanned] : results) {
      for (const v1::ProbeResult* result : unplanned) {
        add({.a = result->spec().a(), .b = result->spec().b(), .missing_reason = {}}, result);
      }
    }
    std::ranges::stable_partition(views, [](const ProbedPair& pair) { return IsAlone(pair); });
    const std::span<ProbedPair> alone(views.data(), FirstOfIncasts(views));
    const auto capacity_of = [this](const v1::ProbeEnd& end) { return CapacityOfEnd(end); };
    CompareBandwidths(alone, capacity_of);
    CompareLatencies(alone, capacity_of);
    return views;
  }

  // Null: not known.
  const PortCapacity* CapacityOfEnd(const v1::ProbeEnd& end) const {
    const HostJudgementPtr host = judged_.FindHost(end.host());
    if (host == nullptr) return nullptr;
    const auto found = host->capacities.find(KeyOf(end));
    return found == host->capacities.end() ? nullptr : &found->second;
  }

  void SetLabel(const v1::ProbeEnd& end, std::string& label) const {
    const HostJudgementPtr host = judged_.FindHost(end.host());
    if (host == nullptr) return;
    const auto found = host->labels.find(KeyOf(end));
    if (found != host->labels.end()) label = found->second;
  }

  // Of pairs that were probed alone. `none_at_all`: there are none of incasts either.
  void JudgeProbes(std::span<const ProbedPair> probes, bool none_at_all) {
    for (const Check& check : Catalog()) {
      if (check.probe == nullptr || !IsEnabled(check)) continue;
      Judge judge(check, v1::SCOPE_PROBE, *fleet_.policy);
      for (const ProbedPair& pair : probes) {
        check.probe(pair, judge);
        if (pair.is_retest) NoteKeys(check, pair);
      }
      if (check.id == "probe.write" && none_at_all) JudgePlan(judge);
      AddTally(tallies_, check.id, judge.tally());
      AppendDrafts(judge.TakeDrafts());
    }
  }

  void NoteKeys(const Check& check, const ProbedPair& pair) {
    for (const Path path : kPaths) of_retests_.insert(FindingKey(check.id, pair.SubjectOf(path)));
  }

  // Who fails altogether also loses packets and is slow: in the order of the symptoms.
  void JudgeMatrix(std::span<const ProbedPair> probes) {
    const ProbeMatrix matrix(probes, judged_.hosts());
    static const std::deque<Draft> kNothing;
    for (const Symptom symptom : kSymptoms) {
      const Check& check = *FindCheck(BlameCheckOf(symptom));
      if (!IsEnabled(check)) continue;
      Judge judge(check, check.scope, *fleet_.policy);
      const FaultsFound found(probes.empty() ? kNothing : drafts_);
      const CauseOf cause_of = JudgeSymptom(symptom, matrix, found, judge);
      if (!cause_of.empty()) Follow(cause_of);
      AddTally(tallies_, check.id, judge.tally());
      AppendDrafts(judge.TakeDrafts());
    }
  }

  void JudgeIncast(std::span<const ProbedPair> probes) {
    const Check& check = *FindCheck("probe.incast");
    if (!IsEnabled(check)) return;
    Judge judge(check, check.scope, *fleet_.policy);
    JudgeIncasts(probes, [this](const v1::ProbeEnd& end) { return CapacityOfEnd(end); }, judge);
    AddTally(tallies_, check.id, judge.tally());
    AppendDrafts(judge.TakeDrafts());
  }

  void Follow(const CauseOf& cause_of) {
    for (Draft& draft : drafts_) {
      const auto cause = cause_of.find(draft.finding.key());
      if (cause != cause_of.end()) draft.follows.push_back(cause->second);
    }
  }

  // Probes were asked for and several hosts are there, yet no two share a rail: that is no pass.
  void JudgePlan(Judge& judge) {
    const auto judged = std::ranges::count_if(
        judged_.hosts(), [](const HostJudgementPtr& host) { return host->judged; });
    if (!fleet_.probes.asked || judged < 2) return;
    v1::Subject subject;
    subject.set_group("all hosts");
    subject.set_label("all hosts");
    Draft& draft =
        judge
            .Unknown(
                subject,
                "no two hosts (three for an incast) have RoCE ports in one IPv4 subnet: nothing to "
                "probe")
            .Expected("pairs of ports on a common rail")
            .MendedBy("Check addresses and prefix lengths of the RoCE net devices.");
    for (const HostJudgementPtr& host : judged_.hosts())
      draft.touches.push_back({host->host, {}, 0});
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
    if (of_retests_.contains(finding.key())) finding.set_on_unknown(v1::ON_UNKNOWN_NOTE);
    if (finding.policy_source().empty()) finding.set_policy_source(rule.source);
    const v1::Subject& subject = finding.subject();
    for (const std::string* name :
         {&subject.host(), &subject.peer_host(), &subject.switch_name()}) {
      const EffectivePolicy* policy = PolicyOf(*name);
      if (policy == nullptr) continue;
      const v1::Waiver* waiver = policy->WaiverFor(finding.check_id(), fleet_.now);
      if (waiver == nullptr) continue;
      finding.set_waived_by(waiver->id());
      v1::CheckTally& tally = tallies_[finding.check_id()];
      tally.set_waived(tally.waived() + 1);
      break;
    }
  }

  // Of a host or a switch; null: it is neither.
  const EffectivePolicy* PolicyOf(const std::string& name) const {
    const EffectivePolicy* of_switch = judged_.switches().PolicyOf(name);
    if (of_switch != nullptr) return of_switch;
    const HostJudgementPtr host = judged_.FindHost(name);
    return host == nullptr ? nullptr : host->policy;
  }

  const FleetJudgement& judged_;
  const FleetInput& fleet_;
  std::deque<Draft> drafts_;
  Tallies tallies_;
  // Findings of pairs that the plan does not have.
  std::set<std::string, std::less<>> of_retests_;
};

}  // namespace

v1::AuditReport FleetJudgement::Conclude(const FleetInput& fleet, OpenPairs* open) const {
  return Conclusion(*this, fleet).Make(open);
}

v1::AuditReport Conclude(const std::vector<HostJudgementPtr>& hosts, const FleetInput& fleet) {
  return FleetJudgement(hosts, *fleet.policy, fleet.switches).Conclude(fleet);
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
