// SPDX-License-Identifier: Apache-2.0
#include "checks/judged_pairs.h"

#include <ranges>

#include "checks/policy/effective_policy.h"

namespace roceready::checks {
namespace {

// Null: the host says nothing about the port, or is not one of them.
const Observation* Find(const HostJudgementPtr& host, const Check& check, const PortRef& port) {
  if (host == nullptr) return nullptr;
  for (const Observation& one : host->ObservationsOf(check) | std::views::reverse) {
    if (one.subject.port() == port.port && one.subject.device_id() == port.device_id) return &one;
  }
  return nullptr;
}

}  // namespace

JudgedPairs::JudgedPairs(const FleetHosts& hosts, const EffectivePolicy& policy)
    : hosts_(hosts), policy_(policy) {
  for (const Check& check : Catalog()) {
    if (check.pair == nullptr || !policy_.RuleOf(check.id).enabled) continue;
    checks_.push_back(&check);
    // Counted even where nobody has a neighbour.
    tallies_.Add(check.id, {});
  }
  rings_.Fill(hosts_.all(), [this](const PortPair& pair) { Meet(pair); });
  JudgeNew();
}

void JudgedPairs::Leave(const HostJudgement& host) {
  rings_.Remove(
      host, [this](const PortPair& pair) { Meet(pair); },
      [this](const PortPair& pair) { Part(pair); });
}

void JudgedPairs::Enter(const HostJudgement& host) {
  rings_.Add(
      host, [this](const PortPair& pair) { Meet(pair); },
      [this](const PortPair& pair) { Part(pair); });
}

void JudgedPairs::Meet(const PortPair& pair) {
  const auto [neighbours, is_new] = neighbours_.try_emplace(pair);
  if (is_new) new_.insert(pair);
  ++neighbours->second.times;
}

void JudgedPairs::Part(const PortPair& pair) {
  const auto neighbours = neighbours_.find(pair);
  if (--neighbours->second.times > 0) return;
  for (size_t i = 0; i < neighbours->second.tallies.size(); ++i) {
    tallies_.Remove(checks_[i]->id, neighbours->second.tallies[i]);
    drafts_.erase({i, pair});
  }
  neighbours_.erase(neighbours);
  new_.erase(pair);
}

void JudgedPairs::JudgeNew() {
  for (const PortPair& pair : new_) {
    Neighbours& neighbours = neighbours_.at(pair);
    neighbours.tallies = JudgePair(pair, drafts_);
    for (size_t i = 0; i < checks_.size(); ++i) {
      tallies_.Add(checks_[i]->id, neighbours.tallies[i]);
    }
  }
  new_.clear();
}

std::vector<v1::CheckTally> JudgedPairs::JudgePair(const PortPair& pair, Drafts& drafts) const {
  const HostJudgementPtr host_a = hosts_.Find(pair.a.host);
  const HostJudgementPtr host_b = hosts_.Find(pair.b.host);
  std::vector<v1::CheckTally> tallies;
  tallies.reserve(checks_.size());
  for (size_t i = 0; i < checks_.size(); ++i) {
    const Check& check = *checks_[i];
    Judge judge(check, v1::SCOPE_PAIR, policy_);
    const Observation* a = Find(host_a, check, pair.a);
    const Observation* b = Find(host_b, check, pair.b);
    // An end without an observation is a silent host: host.heard-from says it.
    if (a != nullptr && b != nullptr) check.pair(*a, *b, judge);
    tallies.push_back(judge.tally());
    std::deque<Draft> said = judge.TakeDrafts();
    if (!said.empty()) drafts.emplace(std::pair(i, pair), std::move(said));
  }
  return tallies;
}

void JudgedPairs::Conclude(const std::set<PortPair>& others, Tallies& tallies,
                           std::deque<Draft>& drafts) const {
  tallies_.AddTo(tallies);
  Drafts all = drafts_;
  for (const PortPair& pair : others) {
    if (neighbours_.contains(pair)) continue;
    const std::vector<v1::CheckTally> counted = JudgePair(pair, all);
    for (size_t i = 0; i < checks_.size(); ++i) AddTally(tallies, checks_[i]->id, counted[i]);
  }
  for (auto& [place, said] : all) {
    for (Draft& draft : said) drafts.push_back(std::move(draft));
  }
}

}  // namespace roceready::checks
