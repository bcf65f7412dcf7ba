// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/judging.h"

#include <google/protobuf/arena.h>

#include <set>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

// Puts a host's parts together on the arena. Null, with the reason in the snapshot, when that
// cannot be done; null alone when there are none.
const v1::HostFacts* Assemble(HostSnapshot* snapshot, google::protobuf::Arena* arena) {
  if (!snapshot->has_facts) return nullptr;
  auto* facts = google::protobuf::Arena::CreateMessage<v1::HostFacts>(arena);
  if (absl::Status assembled = AssembleFacts(*snapshot->parts, facts); !assembled.ok()) {
    snapshot->state = v1::HOST_STATE_STALE;
    snapshot->state_reason =
        fmt::format("its facts cannot be put together: {}", Message(assembled));
    return nullptr;
  }
  return facts;
}

checks::HostInput InputOf(const HostSnapshot& snapshot, const v1::HostFacts* facts,
                          const JudgedHosts& judged) {
  checks::HostInput input;
  input.host = snapshot.host;
  input.state = snapshot.state;
  input.state_reason = snapshot.state_reason;
  input.facts = facts;
  input.fact_ages = {snapshot.fact_ages.begin(), snapshot.fact_ages.end()};
  input.counters = snapshot.counters.get();
  if (snapshot.counters != nullptr) input.counters_age = snapshot.counters_age;
  input.max_fact_age = judged.max_fact_age;
  input.policy = judged.for_each_host.at(snapshot.host);
  input.switches = judged.switches->set();
  return input;
}

// Hosts that the same rules concern share a policy: of thousands there are few.
const EffectivePolicy* PolicyOf(const std::string& host, JudgedHosts* judged) {
  std::vector<bool> rules = judged->policy->RulesFor(host);
  auto known = judged->for_rules.find(rules);
  if (known == judged->for_rules.end()) {
    EffectivePolicy policy = judged->policy->ForRules(rules);
    known = judged->for_rules.emplace(std::move(rules), std::move(policy)).first;
  }
  return &known->second;
}

// One host, and its ports among those of all.
checks::HostJudgementPtr JudgeOne(HostSnapshot snapshot, google::protobuf::Arena* arena,
                                  JudgedHosts* judged) {
  if (snapshot.state == v1::HOST_STATE_MAINTENANCE) {
    return checks::JudgeHost(InputOf(snapshot, nullptr, *judged));
  }
  const v1::HostFacts* facts = Assemble(&snapshot, arena);
  if (facts != nullptr) {
    for (checks::RailPort& port : checks::RailsOfHost(*facts)) {
      port.host = snapshot.host;
      judged->ports.push_back(std::move(port));
    }
  }
  return checks::JudgeHost(InputOf(snapshot, facts, *judged));
}

v1::Finding FindingOfDuplicate(const DuplicateHost& duplicate) {
  v1::Finding finding;
  finding.set_check_id("fleet.duplicate-host");
  finding.mutable_subject()->set_host(duplicate.host);
  finding.set_status(v1::CHECK_STATUS_FAIL);
  finding.set_expected("one machine connects under one name");
  finding.set_actual(
      fmt::format("machine {} at {} is connected, machine {} at {} was refused {} ago",
                  duplicate.machine_id, duplicate.peer_address, duplicate.refused_machine_id,
                  duplicate.refused_peer_address, InWords(duplicate.last_refused_ago)));
  return finding;
}

}  // namespace

HostSnapshot TakeSnapshot(const Fleet& fleet, const std::string& host, MonotonicTime now) {
  HostSnapshot snapshot;
  snapshot.host = host;
  const HostRecord* record = fleet.Find(host);
  const v1::Host row = fleet.Describe(host);
  snapshot.state = row.state();
  snapshot.state_reason = row.state_reason();
  if (record == nullptr) return snapshot;
  snapshot.has_facts = record->HasFacts();
  snapshot.parts = record->parts;
  for (const auto& [key, at] : record->read_at) snapshot.fact_ages[key] = now - at;
  snapshot.counters = record->counters;
  snapshot.counters_age = now - record->counters_at;
  return snapshot;
}

std::vector<checks::KnownSwitch> TakeSwitches(const SwitchBook& switches, MonotonicTime now) {
  std::vector<checks::KnownSwitch> known;
  for (const auto& [name, one] : switches.switches()) {
    known.push_back({one.facts, now - one.imported_at});
  }
  return known;
}

std::shared_ptr<JudgedHosts> JudgeHosts(HostsToJudge input) {
  auto judged = std::make_shared<JudgedHosts>();
  judged->policy = input.policy;
  judged->for_all_hosts = input.policy->ForAllHosts();
  judged->switches =
      std::make_unique<checks::PolicedSwitches>(*input.policy, std::move(input.switches));
  judged->max_fact_age = input.max_fact_age;
  std::vector<checks::HostJudgementPtr> judgements;
  judgements.reserve(input.hosts.size());
  google::protobuf::Arena arena;
  for (HostSnapshot& snapshot : input.hosts) {
    judged->for_each_host[snapshot.host] = PolicyOf(snapshot.host, judged.get());
    judgements.push_back(JudgeOne(std::move(snapshot), &arena, judged.get()));
    arena.Reset();
  }
  judged->fleet = std::make_unique<checks::FleetJudgement>(
      std::move(judgements), judged->for_all_hosts, judged->switches->set());
  return judged;
}

void JudgeAgain(std::vector<HostSnapshot> changed, JudgedHosts* judged) {
  std::set<std::string, std::less<>> names;
  for (const HostSnapshot& snapshot : changed) names.insert(snapshot.host);
  std::erase_if(judged->ports,
                [&](const checks::RailPort& port) { return names.contains(port.host); });
  std::vector<checks::HostJudgementPtr> judgements;
  judgements.reserve(changed.size());
  google::protobuf::Arena arena;
  for (HostSnapshot& snapshot : changed) {
    judgements.push_back(JudgeOne(std::move(snapshot), &arena, judged));
    arena.Reset();
  }
  judged->fleet->Replace(std::move(judgements));
}

v1::AuditReport ConcludeAudit(const JudgedHosts& hosts, const ProbesToJudge& probes,
                              std::vector<v1::Finding> given, WallTime now,
                              checks::OpenPairs* open) {
  checks::FleetInput fleet;
  fleet.policy = &hosts.for_all_hosts;
  fleet.probes.asked = probes.asked;
  fleet.probes.planned = probes.planned;
  fleet.probes.not_retested = probes.not_retested;
  for (const auto& result : probes.results) fleet.probes.results.push_back(result.get());
  fleet.given = std::move(given);
  fleet.switches = hosts.switches->set();
  fleet.now = now;
  return hosts.fleet->Conclude(fleet, open);
}

std::vector<v1::Finding> FindingsOfDuplicates(const Fleet& fleet,
                                              const std::vector<std::string>& hosts) {
  std::vector<v1::Finding> findings;
  for (const std::string& host : hosts) {
    if (fleet.IsInMaintenance(host)) continue;
    const std::optional<DuplicateHost> duplicate = fleet.FindDuplicate(host);
    if (duplicate) findings.push_back(FindingOfDuplicate(*duplicate));
  }
  return findings;
}

}  // namespace roceready
