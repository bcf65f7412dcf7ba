// SPDX-License-Identifier: Apache-2.0
#include "controller/verdict/verdict_book.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "checks/fact_path.h"
#include "checks/policy/effective_policy.h"
#include "controller/verdict/recent_probes.h"
#include "proto/contract/errors.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

bool CountsInVerdict(const v1::Finding& finding) {
  if (!finding.caused_by().empty() || !finding.waived_by().empty()) return false;
  return finding.status() == v1::CHECK_STATUS_FAIL ||
         (finding.status() == v1::CHECK_STATUS_UNKNOWN &&
          finding.on_unknown() == v1::ON_UNKNOWN_BLOCK);
}

// A waiver has ended in between: what it held back counts again.
bool WaiverEnded(const LoadedPolicy& policy, WallTime from, WallTime to) {
  return std::ranges::any_of(policy.message().waivers(), [&](const v1::Waiver& waiver) {
    return HasEnded(waiver, from) != HasEnded(waiver, to);
  });
}

absl::Status Stopping() { return Unavailable("the controller stops: ask again"); }

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

// A host that is awaited since the start is not silent yet: its kept facts stand for it.
v1::HostState StateToJudge(const Fleet& fleet, const std::string& host, v1::HostState state,
                           MonotonicTime now) {
  const HostRecord* record = fleet.Find(host);
  const bool awaited = record != nullptr && record->IsAwaited(now);
  return awaited && state == v1::HOST_STATE_MISSING ? v1::HOST_STATE_STALE : state;
}

}  // namespace

// Filled on the loop, worked on by the worker, read on the loop.
struct VerdictBook::Pass {
  // One of them: the set for the first time, or what has changed of it.
  std::optional<HostsToJudge> all;
  std::vector<HostSnapshot> changed;
  std::vector<std::shared_ptr<const AuditRun>> audits;
  // Whose probes count: all of the set that are not set aside.
  std::vector<std::string> probed_hosts;
  std::vector<v1::Finding> given;
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
    if (record == nullptr || tools_.fleet->IsInMaintenance(host)) continue;
    const std::optional<Duration> age = record->OldestFact(now);
    if (!age || *age > question.max_age) hosts.push_back(host);
  }
  return hosts;
}

void VerdictBook::Ask(Question question, Done done) {
  if (closed_) return done(Stopping());
  const std::vector<std::string> to_ask = HostsToAsk(question);
  const Duration wait = question.wait;
  const Key key = KeyOf(std::move(question));
  if (!to_ask.empty()) {
    if (refreshing_.size() >= kMaxRefreshing) {
      return done(MakeError(absl::StatusCode::kResourceExhausted,
                            fmt::format("{} questions wait for fresh facts: ask again, or without "
                                        "waiting for them",
                                        refreshing_.size())));
    }
    const auto asked = refreshing_.emplace(refreshing_.end(), tools_.loop, tools_.fleet);
    asked->key = key;
    asked->done = std::move(done);
    const std::size_t awaited = asked->facts.Ask(
        to_ask, wait, {.on_answer = nullptr, .on_end = [this, asked](const std::set<std::string>&) {
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
  if (standing->answer == nullptr) return AnswerAnew(key, std::move(done));
  const Duration age = tools_.loop->clock()->Now() - standing->answered_at;
  if (age < kAnswerGoodFor) return done(*standing->answer);
  const Change change = WhatChanged(key, *standing);
  if (change == Change::kFactsTooOld || (change == Change::kSome && age >= kAnswerUsableFor)) {
    return AnswerAnew(key, std::move(done));
  }
  if (change == Change::kSome) {
    if (!standing->judging && passes_ < kMaxPasses) BeginPass(key, standing);
    return done(*standing->answer);
  }
  v1::GetVerdictResponse response = AsOfNow(key, *standing);
  *response.mutable_verdict()->mutable_evaluated_at() = ToProto(tools_.loop->clock()->Wall());
  standing->answer = std::make_shared<const v1::GetVerdictResponse>(std::move(response));
  standing->answered_at = tools_.loop->clock()->Now();
  done(*standing->answer);
}

void VerdictBook::AnswerAnew(const Key& key, Done done) {
  const std::shared_ptr<Standing> standing = StandingOf(key);
  if (!standing->judging && passes_ >= kMaxPasses) {
    return done(MakeError(absl::StatusCode::kResourceExhausted,
                          fmt::format("{} sets of hosts are being judged: ask again", passes_)));
  }
  standing->waiting.push_back(std::move(done));
  // Who comes while a pass is under way waits for the next: that one may have begun before a
  // change.
  if (!standing->judging) BeginPass(key, standing);
}

std::shared_ptr<VerdictBook::Standing> VerdictBook::StandingOf(const Key& key) {
  std::shared_ptr<Standing>& standing = standing_[key];
  if (standing == nullptr) standing = std::make_shared<Standing>();
  standing->used = ++questions_;
  const std::shared_ptr<Standing> found = standing;
  ForgetOldest(*found);
  return found;
}

void VerdictBook::ForgetOldest(const Standing& but) {
  std::size_t hosts = 0;
  for (const auto& [key, standing] : standing_) hosts += key.hosts.size();
  while (standing_.size() > kSetsKept || hosts > kHostsKept) {
    const auto oldest = std::min_element(
        standing_.begin(), standing_.end(),
        [](const auto& a, const auto& b) { return a.second->used < b.second->used; });
    if (oldest->second.get() == &but) return;
    hosts -= oldest->first.hosts.size();
    // Its pass, if one is under way, holds it until those who wait have their answer. Giving back
    // a fleet takes long: not here.
    if (oldest->first.hosts.size() > kLargeSet) {
      tools_.worker_of_large_sets->Run(
          [standing = std::move(oldest->second)]() mutable { standing = nullptr; }, [] {});
    }
    standing_.erase(oldest);
  }
}

Worker* VerdictBook::WorkerOf(const Key& key) const {
  return key.hosts.size() > kLargeSet ? tools_.worker_of_large_sets : tools_.worker;
}

void VerdictBook::Close() {
  closed_ = true;
  // None of them looks at the book any more.
  std::list<Refreshing> refreshing = std::exchange(refreshing_, {});
  for (const Refreshing& asked : refreshing) asked.done(Stopping());
  for (const auto& [key, standing] : standing_) {
    for (const Done& done : std::exchange(standing->waiting, {})) done(Stopping());
  }
}

VerdictBook::Mark VerdictBook::MarkOf(const std::string& host, Duration max_age,
                                      MonotonicTime now) const {
  const v1::Host row = tools_.fleet->Describe(host);
  Mark mark{.state = row.state(), .state_reason = row.state_reason()};
  const HostRecord* record = tools_.fleet->Find(host);
  // What is set aside is not judged, whatever becomes of its facts.
  if (record == nullptr || row.state() == v1::HOST_STATE_MAINTENANCE) return mark;
  const std::optional<Duration> age = record->OldestFact(now);
  mark.state = StateToJudge(*tools_.fleet, host, row.state(), now);
  mark.parts = record->parts;
  mark.counters = record->counters;
  mark.too_old = age && *age > max_age;
  mark.has_duplicate = tools_.fleet->FindDuplicate(host).has_value();
  return mark;
}

bool VerdictBook::SwitchesChanged(const Standing& standing) const {
  const auto& known = tools_.switches->switches();
  const Duration age = tools_.loop->clock()->Now() - standing.switches_at;
  if (!known.empty() && age > kSwitchAgesGoodFor) return true;
  return !std::equal(
      known.begin(), known.end(), standing.switches.begin(), standing.switches.end(),
      [](const auto& now, const auto& before) { return now.second.facts == before; });
}

VerdictBook::Change VerdictBook::WhatChanged(const Key& key, const Standing& standing) const {
  const MonotonicTime now = tools_.loop->clock()->Now();
  const WallTime wall = tools_.loop->clock()->Wall();
  bool changed =
      SwitchesChanged(standing) || WaiverEnded(*key.policy, standing.judged_at, wall) ||
      AuditsThatCount(*tools_.audits, *key.policy, key.max_probe_age, wall) != standing.audits;
  for (const std::string& host : key.hosts) {
    const auto before = standing.marks.find(host);
    if (before == standing.marks.end()) return Change::kFactsTooOld;
    const Mark mark = MarkOf(host, key.max_age, now);
    if (before->second == mark) continue;
    if (mark.too_old && !before->second.too_old) return Change::kFactsTooOld;
    changed = true;
  }
  return changed ? Change::kSome : Change::kNone;
}

void VerdictBook::BeginPass(const Key& key, const std::shared_ptr<Standing>& standing) {
  auto pass = std::make_shared<Pass>();
  pass->now = tools_.loop->clock()->Now();
  pass->wall = tools_.loop->clock()->Wall();
  pass->waiting = std::exchange(standing->waiting, {});
  standing->judged_at = pass->wall;
  if (SwitchesChanged(*standing)) standing->judgement = nullptr;
  const bool anew = standing->judgement == nullptr;
  if (anew) {
    standing->switches.clear();
    standing->switches_at = pass->now;
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
    if (mark.state != v1::HOST_STATE_MAINTENANCE) pass->probed_hosts.push_back(host);
    Mark& before = standing->marks[host];
    if (!anew && before == mark) continue;
    before = std::move(mark);
    HostSnapshot snapshot = TakeSnapshot(*tools_.fleet, host, pass->now);
    snapshot.state = StateToJudge(*tools_.fleet, host, snapshot.state, pass->now);
    (anew ? pass->all->hosts : pass->changed).push_back(std::move(snapshot));
  }
  standing->audits = AuditsThatCount(*tools_.audits, *key.policy, key.max_probe_age, pass->wall);
  pass->audits = standing->audits;
  pass->given = FindingsOfDuplicates(*tools_.fleet, key.hosts);
  standing->judging = true;
  ++passes_;
  WorkerOf(key)->Run(
      [pass, standing] {
        if (pass->all) {
          standing->judgement = std::make_shared<StandingJudgement>(*std::move(pass->all));
        } else {
          standing->judgement->Update(std::move(pass->changed));
        }
        const RecentProbes recent = FindRecentProbes(pass->audits, pass->probed_hosts, pass->wall);
        pass->response = ResponseOf(
            standing->judgement->Conclude(recent.probes, std::move(pass->given), pass->wall),
            kMaxCauses);
        for (const std::string& audit : recent.audit_ids) pass->response.add_probed_by(audit);
        if (recent.oldest) *pass->response.mutable_oldest_probe() = ToProto(*recent.oldest);
      },
      [this, key, standing, pass] { Judged(key, standing, *pass); });
}

v1::GetVerdictResponse VerdictBook::AsOfNow(const Key& key, const Standing& standing) const {
  const MonotonicTime now = tools_.loop->clock()->Now();
  const Duration since = now - standing.answered_at;
  v1::GetVerdictResponse response = *standing.answer;
  for (v1::Finding& cause : *response.mutable_causes()) {
    for (v1::Evidence& evidence : *cause.mutable_evidence()) {
      if (!evidence.has_age()) continue;
      std::optional<Duration> age;
      const HostRecord* record = tools_.fleet->Find(evidence.host());
      if (record != nullptr && !evidence.fact_path().empty()) {
        std::map<std::string, checks::Age, std::less<>> ages;
        for (const auto& [part, at] : record->read_at) ages[part] = now - at;
        age = checks::AgeOfPath(evidence.fact_path(), ages);
      }
      *evidence.mutable_age() = ToProto(age.value_or(FromProto(evidence.age()) + since));
    }
  }
  if (response.has_oldest_probe()) {
    *response.mutable_oldest_probe() = ToProto(FromProto(response.oldest_probe()) + since);
  }
  std::optional<Duration> oldest_fact;
  for (const std::string& host : key.hosts) {
    const HostRecord* record = tools_.fleet->Find(host);
    if (record == nullptr || tools_.fleet->IsInMaintenance(host)) continue;
    const std::optional<Duration> age = record->OldestFact(now);
    if (age) oldest_fact = std::max(oldest_fact.value_or(*age), *age);
  }
  if (oldest_fact) {
    *response.mutable_verdict()->mutable_coverage()->mutable_oldest_fact() = ToProto(*oldest_fact);
  }
  return response;
}

void VerdictBook::Judged(const Key& key, const std::shared_ptr<Standing>& standing, Pass& pass) {
  standing->answer = std::make_shared<const v1::GetVerdictResponse>(std::move(pass.response));
  standing->answered_at = pass.now;
  standing->answer = std::make_shared<const v1::GetVerdictResponse>(AsOfNow(key, *standing));
  standing->judging = false;
  --passes_;
  if (closed_) {
    for (const Done& done : pass.waiting) done(Stopping());
    return;
  }
  // What is known is known as of the beginning of the pass.
  const std::shared_ptr<const v1::GetVerdictResponse> answer = standing->answer;
  for (const Done& done : pass.waiting) done(*answer);
  if (!standing->waiting.empty() && !standing->judging) BeginPass(key, standing);
}

}  // namespace roceready
