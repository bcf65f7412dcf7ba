// SPDX-License-Identifier: Apache-2.0
#include "controller/verdict/verdict_book.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "controller/verdict/recent_probes.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

bool CountsInVerdict(const v1::Finding& finding) {
  if (!finding.caused_by().empty() || !finding.waived_by().empty()) return false;
  return finding.status() == v1::CHECK_STATUS_FAIL ||
         (finding.status() == v1::CHECK_STATUS_UNKNOWN &&
          finding.on_unknown() == v1::ON_UNKNOWN_BLOCK);
}

// Moves out of the report what the answer says.
v1::GetVerdictResponse ResponseOf(v1::AuditReport report, int max_causes) {
  v1::GetVerdictResponse response;
  *response.mutable_verdict() = std::move(*report.mutable_verdict());
  for (v1::Finding& finding : *report.mutable_findings()) {
    if (!CountsInVerdict(finding)) continue;
    if (response.causes_size() < max_causes) {
      *response.add_causes() = std::move(finding);
    } else {
      response.set_more_causes(response.more_causes() + 1);
    }
  }
  return response;
}

}  // namespace

// Filled on the loop, worked on by the worker, read on the loop.
struct VerdictBook::Pass {
  // One of them: the set for the first time, or what has changed of it.
  std::optional<HostsToJudge> all;
  std::vector<HostSnapshot> changed;
  RecentProbes probes;
  std::vector<v1::Finding> given;
  std::optional<Duration> oldest_fact;
  WallTime wall;
  MonotonicTime now;
  std::vector<Done> waiting;
  v1::GetVerdictResponse response;
};

VerdictBook::Key VerdictBook::KeyOf(Question question) {
  return {.policy = std::move(question.policy),
          .max_age = question.max_age,
          .max_probe_age = question.max_probe_age,
          .hosts = std::move(question.hosts)};
}

std::vector<std::string> VerdictBook::HostsToAsk(const Question& question) const {
  std::vector<std::string> hosts;
  if (question.wait <= Duration::zero()) return hosts;
  const MonotonicTime now = tools_.loop->clock()->Now();
  for (const std::string& host : question.hosts) {
    const HostRecord* record = tools_.fleet->Find(host);
    if (record == nullptr) continue;
    const std::optional<Duration> age = record->OldestFact(now);
    if (!age || *age > question.max_age) hosts.push_back(host);
  }
  return hosts;
}

void VerdictBook::Ask(Question question, Done done) {
  const std::vector<std::string> to_ask = HostsToAsk(question);
  const Duration wait = question.wait;
  const Key key = KeyOf(std::move(question));
  if (!to_ask.empty()) {
    const auto asked = refreshing_.emplace(refreshing_.end(), tools_.loop, tools_.fleet);
    asked->key = key;
    asked->done = std::move(done);
    const std::size_t awaited = asked->facts.Ask(
        to_ask, wait, {.on_answer = nullptr, .on_end = [this, asked](std::set<std::string>) {
                         const Key key = std::move(asked->key);
                         Done done = std::move(asked->done);
                         refreshing_.erase(asked);
                         AnswerAnew(key, std::move(done));
                       }});
    if (awaited > 0) return;
    done = std::move(asked->done);
    refreshing_.erase(asked);
  }
  const std::shared_ptr<Standing> standing = StandingOf(key);
  if (standing->answer != nullptr &&
      tools_.loop->clock()->Now() - standing->answered_at < kAnswerGoodFor) {
    done(*standing->answer);
    return;
  }
  AnswerAnew(key, std::move(done));
}

void VerdictBook::AnswerAnew(const Key& key, Done done) {
  const std::shared_ptr<Standing> standing = StandingOf(key);
  standing->waiting.push_back(std::move(done));
  // Who comes while a pass is under way waits for the next: that one may have begun before a
  // change.
  if (!standing->judging) Judge(key, standing);
}

std::shared_ptr<VerdictBook::Standing> VerdictBook::StandingOf(const Key& key) {
  std::shared_ptr<Standing>& standing = standing_[key];
  if (standing == nullptr) standing = std::make_shared<Standing>();
  standing->used = ++questions_;
  const std::shared_ptr<Standing> found = standing;
  ForgetOldest();
  return found;
}

void VerdictBook::ForgetOldest() {
  while (standing_.size() > kSetsKept) {
    const auto oldest = std::min_element(
        standing_.begin(), standing_.end(),
        [](const auto& a, const auto& b) { return a.second->used < b.second->used; });
    // Its pass, if one is under way, holds it until those who wait have their answer.
    standing_.erase(oldest);
  }
}

VerdictBook::Mark VerdictBook::MarkOf(const std::string& host, Duration max_age,
                                      MonotonicTime now) const {
  const HostRecord* record = tools_.fleet->Find(host);
  if (record == nullptr) return {};
  const v1::Host row = DescribeHost(*record, now);
  const std::optional<Duration> age = record->OldestFact(now);
  return {.parts = record->parts,
          .counters = record->counters,
          .state = row.state(),
          .state_reason = row.state_reason(),
          .read_at = age ? std::optional(now - *age) : std::nullopt,
          .too_old = age && *age > max_age};
}

bool VerdictBook::SwitchesChanged(const Standing& standing) const {
  const auto& known = tools_.switches->switches();
  return !std::equal(
      known.begin(), known.end(), standing.switches.begin(), standing.switches.end(),
      [](const auto& now, const auto& before) { return now.second.facts == before; });
}

void VerdictBook::Judge(const Key& key, const std::shared_ptr<Standing>& standing) {
  auto pass = std::make_shared<Pass>();
  pass->now = tools_.loop->clock()->Now();
  pass->wall = tools_.loop->clock()->Wall();
  pass->waiting = std::exchange(standing->waiting, {});
  if (SwitchesChanged(*standing)) standing->judgement = nullptr;
  const bool anew = standing->judgement == nullptr;
  if (anew) {
    standing->switches.clear();
    for (const auto& [name, one] : tools_.switches->switches()) {
      standing->switches.push_back(one.facts);
    }
    pass->all.emplace();
    pass->all->policy = key.policy;
    pass->all->max_fact_age = key.max_age;
    pass->all->switches = TakeSwitches(*tools_.switches, pass->now);
  }
  for (const std::string& host : key.hosts) {
    Mark mark = MarkOf(host, key.max_age, pass->now);
    if (mark.read_at) {
      const Duration age = pass->now - *mark.read_at;
      pass->oldest_fact = std::max(pass->oldest_fact.value_or(age), age);
    }
    Mark& before = standing->marks[host];
    if (!anew && before == mark) continue;
    before = std::move(mark);
    (anew ? pass->all->hosts : pass->changed)
        .push_back(TakeSnapshot(*tools_.fleet, host, pass->now));
  }
  pass->probes =
      FindRecentProbes(*tools_.audits, key.hosts, *key.policy, key.max_probe_age, pass->wall);
  pass->given = FindingsOfDuplicates(*tools_.fleet, key.hosts);
  standing->judging = true;
  tools_.worker->Run(
      [pass, standing] {
        if (pass->all) {
          standing->judgement =
              std::make_shared<StandingJudgement>(*std::move(pass->all), pass->now);
        } else {
          standing->judgement->Update(std::move(pass->changed), pass->now);
        }
        pass->response =
            ResponseOf(standing->judgement->Conclude(pass->probes.probes, std::move(pass->given),
                                                     pass->wall, pass->now),
                       kMaxCauses);
      },
      [this, key, standing, pass] { Judged(key, standing, *pass); });
}

void VerdictBook::Judged(const Key& key, const std::shared_ptr<Standing>& standing, Pass& pass) {
  v1::GetVerdictResponse& response = pass.response;
  for (const std::string& audit : pass.probes.audit_ids) response.add_probed_by(audit);
  if (pass.probes.oldest) *response.mutable_oldest_probe() = ToProto(*pass.probes.oldest);
  if (pass.oldest_fact) {
    *response.mutable_verdict()->mutable_coverage()->mutable_oldest_fact() =
        ToProto(*pass.oldest_fact);
  }
  standing->answer = std::make_shared<const v1::GetVerdictResponse>(std::move(response));
  standing->answered_at = pass.now;
  standing->judging = false;
  const std::shared_ptr<const v1::GetVerdictResponse> answer = standing->answer;
  for (const Done& done : pass.waiting) done(*answer);
  if (!standing->waiting.empty() && !standing->judging) Judge(key, standing);
}

}  // namespace roceready
