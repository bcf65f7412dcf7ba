// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/audit_run.h"

#include <algorithm>
#include <utility>

#include "controller/audit/plan_input.h"
#include "controller/probing/probe_attempt.h"
#include "proto/contract/errors.h"
#include "proto/process/durations.h"
#include "proto/process/logging.h"

namespace roceready {
namespace {

constexpr char kNoTimeToRetest[] = "there was no time left to probe more pairs than the plan's";

// Progress is told in steps of a hundredth, so that a large fleet does not drown its watchers.
bool WorthTelling(std::uint64_t done, std::uint64_t total) {
  if (total == 0 || done >= total) return true;
  return done * 100 / total != (done - 1) * 100 / total;
}

}  // namespace

AuditRun::AuditRun(Order order, AuditTools tools)
    : id_(order.id),
      tools_(tools),
      hosts_(std::move(order.hosts)),
      policy_(std::move(order.policy)),
      on_end_(std::move(order.on_end)),
      fresh_facts_(tools.loop, tools.fleet) {
  audit_.set_audit_id(id_.Text());
  *audit_.mutable_request() = std::move(order.request);
  audit_.set_requested_by(order.requested_by);
  *audit_.mutable_created_at() = ToProto(tools_.loop->clock()->Wall());
  audit_.mutable_progress()->set_hosts_total(static_cast<std::uint32_t>(hosts_.size()));
  EnterState(v1::AUDIT_STATE_QUEUED);
}

AuditRun::AuditRun(KeptAudit kept, AuditTools tools)
    : id_(kept.id),
      tools_(tools),
      audit_(std::move(kept.audit)),
      fresh_facts_(tools.loop, tools.fleet),
      pairs_(std::move(kept.probe_results)) {
  report_.findings = std::move(kept.findings);
  if (!kept.ended) {
    audit_.set_state(v1::AUDIT_STATE_ABORTED);
    audit_.set_abort_reason(kLost);
    *audit_.mutable_ended_at() = ToProto(tools_.loop->clock()->Wall());
  }
  log_.CloseWithLast(LastEvent());
}

bool AuditRun::ProbesAsked() const { return KindOf(audit_.request().plan()) != v1::PLAN_KIND_NONE; }

void AuditRun::AddEvent(v1::WatchAuditResponse event) {
  event.set_state(audit_.state());
  *event.mutable_progress() = audit_.progress();
  log_.Add(std::move(event));
}

void AuditRun::EnterState(v1::AuditState state) {
  audit_.set_state(state);
  AddEvent({});
}

void AuditRun::Begin() {
  begun_ = tools_.loop->clock()->Now();
  timeout_timer_ = tools_.loop->RunAfter(Timeout(), [this, self = shared_from_this()] {
    EndEarly(v1::AUDIT_STATE_ABORTED, fmt::format("out of time after {}", InWords(Timeout())));
  });
  EnterState(v1::AUDIT_STATE_REFRESHING);
  Refresh();
}

void AuditRun::Refresh() {
  const v1::CreateAuditRequest& request = audit_.request();
  const MonotonicTime now = tools_.loop->clock()->Now();
  std::vector<std::string> to_ask;
  for (const std::string& host : hosts_) {
    if (tools_.fleet->IsInMaintenance(host)) continue;
    const HostRecord* record = tools_.fleet->Find(host);
    const auto age = record == nullptr ? std::nullopt : record->OldestFact(now);
    if (request.has_max_fact_age() && age && *age <= FromProto(request.max_fact_age())) continue;
    to_ask.push_back(host);
  }
  const Duration patience =
      request.has_facts_timeout() ? FromProto(request.facts_timeout()) : kFactsTimeout;
  const std::size_t asked = fresh_facts_.Ask(to_ask, patience,
                                             {.on_answer = [this] { HostRefreshed(); },
                                              .on_end =
                                                  [this](std::set<std::string> late) {
                                                    late_ = std::move(late);
                                                    JudgeAllHosts();
                                                  }});
  audit_.mutable_progress()->set_hosts_done(static_cast<std::uint32_t>(hosts_.size() - asked));
  if (asked == 0) JudgeAllHosts();
}

void AuditRun::HostRefreshed() {
  audit_.mutable_progress()->set_hosts_done(audit_.progress().hosts_done() + 1);
  if (WorthTelling(audit_.progress().hosts_done(), hosts_.size())) AddEvent({});
}

HostSnapshot AuditRun::SnapshotOf(const std::string& host) const {
  const MonotonicTime now = tools_.loop->clock()->Now();
  HostSnapshot snapshot = TakeSnapshot(*tools_.fleet, host, now);
  if (late_.contains(host) && snapshot.state == v1::HOST_STATE_CONNECTED) {
    snapshot.state = v1::HOST_STATE_STALE;
    snapshot.state_reason = "it is connected, but sent no fresh facts in time";
  }
  return snapshot;
}

void AuditRun::JudgeAllHosts() {
  HostsToJudge input;
  input.policy = policy_;
  if (audit_.request().has_max_fact_age()) {
    input.max_fact_age = FromProto(audit_.request().max_fact_age());
  }
  for (const std::string& host : hosts_) input.hosts.push_back(SnapshotOf(host));
  input.switches = TakeSwitches(*tools_.switches, tools_.loop->clock()->Now());
  NoteSilentHosts(input.hosts);

  struct Answer {
    std::shared_ptr<const JudgedHosts> judged;
    v1::AuditReport report;
  };
  auto answer = std::make_shared<Answer>();
  tools_.worker->Run(
      [answer, input = std::move(input), given = FindingsOfDuplicates(*tools_.fleet, hosts_),
       now = tools_.loop->clock()->Wall()]() mutable {
        answer->judged = JudgeHosts(std::move(input));
        answer->report = ConcludeAudit(*answer->judged, {}, std::move(given), now);
      },
      [this, self = shared_from_this(), answer] {
        HostsJudged(std::move(answer->judged), std::move(answer->report));
      });
}

void AuditRun::NoteSilentHosts(const std::vector<HostSnapshot>& hosts) {
  for (const HostSnapshot& snapshot : hosts) {
    if (snapshot.state == v1::HOST_STATE_CONNECTED ||
        snapshot.state == v1::HOST_STATE_MAINTENANCE) {
      continue;
    }
    v1::Host* row = audit_.add_silent_hosts();
    *row = tools_.fleet->Describe(snapshot.host);
    row->set_state(snapshot.state);
    row->set_state_reason(snapshot.state_reason);
  }
}

void AuditRun::HostsJudged(std::shared_ptr<const JudgedHosts> judged, v1::AuditReport report) {
  judged_ = std::move(judged);
  ShowFindings(&report);
  if (early_end_ || !ProbesAsked()) {
    ConcludeAll();
    return;
  }
  Probe();
}

void AuditRun::Probe() {
  EnterState(v1::AUDIT_STATE_PROBING);
  PlanInput input = InputOfPlan(audit_, judged_);
  input.available = std::min(TimeLeft(), FromProto(audit_.request().plan().budget()));
  NoteHostsWithoutIncast(hosts_, *tools_.fleet, &input);
  NoteDatagramRoom(hosts_, *tools_.fleet, &input);
  auto plan = std::make_shared<absl::StatusOr<ProbePlanned>>(ProbePlanned());
  tools_.worker->Run([plan, input = std::move(input)] { *plan = MakePlan(input); },
                     [this, self = shared_from_this(), plan] {
                       if (!plan->ok() && !early_end_) {
                         early_end_ = EarlyEnd{v1::AUDIT_STATE_ABORTED,
                                               std::string(Message(plan->status()))};
                       }
                       if (early_end_) {
                         ConcludeAll();
                       } else {
                         StartProbes(*std::move(*plan));
                       }
                     });
}

Duration AuditRun::Timeout() const {
  return audit_.request().has_timeout() ? FromProto(audit_.request().timeout()) : kTimeout;
}

Duration AuditRun::TimeLeft() const {
  return std::max(Timeout() - (tools_.loop->clock()->Now() - begun_), Duration::zero());
}

void AuditRun::StartProbes(ProbePlanned plan) {
  probing_begun_ = tools_.loop->clock()->Now();
  plan_kind_ = plan.kind;
  of_a_pair_ = plan.of_a_pair;
  audit_.mutable_progress()->set_probes_total(plan.work.pairs.size());
  if (audit_.request().plan().has_budget()) BeginNoPairsAfterBudget();
  StartPairs(std::move(plan), "plan ", [this] { PlanDone(); });
}

void AuditRun::StartPairs(ProbePlanned plan, std::string_view lead, std::function<void()> done) {
  pairs_.Add(audit_.audit_id(), &plan);
  v1::WatchAuditResponse event;
  event.set_note(std::string(lead) + plan.in_words);
  LogInfo("audit probes", {{"audit", audit_.audit_id()}, {"plan", plan.in_words}});
  AddEvent(std::move(event));
  probe_run_ = tools_.prober->Start(
      std::move(plan.work),
      {[this, weak = weak_from_this()](std::shared_ptr<const v1::ProbeResult> result) {
         if (auto self = weak.lock()) ProbeEnded(std::move(result));
       },
       [this, weak = weak_from_this(), done = std::move(done)] {
         auto self = weak.lock();
         if (self == nullptr) return;
         probe_run_ = 0;
         tools_.loop->Cancel(probes_timer_);
         for (const auto& over : std::exchange(when_probes_are_over_, {})) over();
         done();
       }});
}

// So early that the last pairs can end in the audit's own time, as far as that is long enough.
void AuditRun::BeginNoPairsAfterBudget() {
  const Duration budget = FromProto(audit_.request().plan().budget());
  const Duration left = TimeLeft();
  const Duration begin_until = std::min(budget, std::max(left / 2, left - of_a_pair_));
  probes_timer_ = tools_.loop->RunAfter(begin_until, [this, self = shared_from_this(), budget] {
    pairs_.LeaveRest(fmt::format("the budget for probes ({}) was used up", InWords(budget)));
    tools_.prober->BeginNoMore(probe_run_);
  });
}

void AuditRun::ProbeEnded(std::shared_ptr<const v1::ProbeResult> result) {
  if (pairs_.IsRetest(*result)) return RetestEnded(std::move(result));
  pairs_.Ended(std::move(result));
  v1::AuditProgress& progress = *audit_.mutable_progress();
  progress.set_probes_done(progress.probes_done() + 1);
  if (WorthTelling(progress.probes_done(), progress.probes_total())) AddEvent({});
}

// An audit is never ended by them: they end with time enough to judge.
AuditRun::RetestTime AuditRun::TimeForRetests() const {
  const Duration left = TimeLeft();
  RetestTime time{.begin = {}, .stop = left - left / 10 - ProbeAttempt::kReleaseLimit};
  // Bad pairs take longer.
  time.begin = time.stop - 2 * of_a_pair_;
  if (audit_.request().plan().has_budget()) {
    const Duration spent = tools_.loop->clock()->Now() - probing_begun_;
    time.begin = std::min(time.begin, FromProto(audit_.request().plan().budget()) - spent);
  }
  return time;
}

void AuditRun::PlanDone() {
  const bool has_time = TimeForRetests().begin > Duration::zero();
  if (early_end_ || !has_time || !MayBeRetested(audit_.request().plan(), plan_kind_)) {
    StartNewCounterWindows();
    return ConcludeAll();
  }
  AfterPlanInput input{.given = FindingsOfDuplicates(*tools_.fleet, hosts_),
                       .now = tools_.loop->clock()->Wall(),
                       .plan = InputOfPlan(audit_, judged_),
                       .next_number = pairs_.next_number()};
  NoteHostsGone(hosts_, *tools_.fleet, &input.plan);
  NoteDatagramRoom(hosts_, *tools_.fleet, &input.plan);
  pairs_.to_judge().asked = true;
  auto after = std::make_shared<AfterPlan>();
  tools_.worker->Run(
      [after, judged = judged_, probes = pairs_.to_judge(), input = std::move(input)]() mutable {
        *after = JudgeAfterPlan(*judged, std::move(probes), std::move(input));
      },
      [this, self = shared_from_this(), after] { PlanJudged(std::move(*after)); });
}

void AuditRun::PlanJudged(AfterPlan after) {
  const RetestTime time = TimeForRetests();
  pairs_.to_judge().not_retested = after.retests.not_retested;
  if (early_end_ || time.begin <= Duration::zero()) {
    StartNewCounterWindows();
    return ConcludeAll();
  }
  if (after.retests.plan.work.pairs.empty()) {
    StartNewCounterWindows();
    EnterState(v1::AUDIT_STATE_JUDGING);
    return Conclude(&after.report);
  }
  ShowFindings(&after.report);
  audit_.mutable_progress()->set_retests_total(after.retests.plan.work.pairs.size());
  StartPairs(std::move(after.retests.plan), "", [this] {
    StartNewCounterWindows();
    ConcludeAll();
  });
  StopRetestsInTime(time);
}

void AuditRun::StopRetestsInTime(RetestTime time) {
  const Duration then = time.stop - time.begin;
  probes_timer_ = tools_.loop->RunAfter(time.begin, [this, self = shared_from_this(), then] {
    pairs_.LeaveRest(kNoTimeToRetest);
    tools_.prober->BeginNoMore(probe_run_);
    probes_timer_ = tools_.loop->RunAfter(then, [this, self] {
      are_retests_stopped_ = true;
      tools_.prober->Stop(probe_run_, kNoTimeToRetest);
    });
  });
}

// What broke off is told with its reason, and not kept: it would be UNKNOWN in verdicts to come, of
// a pair that no plan has.
void AuditRun::RetestEnded(std::shared_ptr<const v1::ProbeResult> result) {
  const bool is_whole = result->has_a() && result->has_b() && !early_end_ && !are_retests_stopped_;
  if (is_whole) {
    pairs_.Ended(std::move(result));
  } else {
    pairs_.EndedWithout(*result);
  }
  v1::AuditProgress& progress = *audit_.mutable_progress();
  progress.set_retests_done(progress.retests_done() + 1);
  if (WorthTelling(progress.retests_done(), progress.retests_total())) AddEvent({});
}

void AuditRun::StartNewCounterWindows() {
  std::set<std::string> probed;
  for (const auto& result : probe_results()) {
    probed.insert(result->spec().a().host());
    probed.insert(result->spec().b().host());
  }
  for (const std::string& host : probed) {
    tools_.fleet->Refresh(host, [](Fleet::RefreshEnd) {});
  }
}

void AuditRun::ConcludeAll() {
  EnterState(v1::AUDIT_STATE_JUDGING);
  pairs_.to_judge().asked = ProbesAsked();
  if (early_end_) pairs_.EndEarly(early_end_->reason);
  auto report = std::make_shared<v1::AuditReport>();
  tools_.worker->Run(
      [report, judged = judged_, probes = pairs_.to_judge(),
       given = FindingsOfDuplicates(*tools_.fleet, hosts_),
       now = tools_.loop->clock()->Wall()]() mutable {
        *report = ConcludeAudit(*judged, probes, std::move(given), now);
      },
      [this, self = shared_from_this(), report] { Conclude(report.get()); });
}

void AuditRun::Conclude(v1::AuditReport* report) {
  ShowFindings(report);
  End(std::move(*report->mutable_verdict()));
}

// What watchers have been shown and later facts no longer say.
void AuditRun::WithdrawFindings() {
  std::set<std::string_view> current;
  for (const v1::Finding& finding : report_.findings) current.insert(finding.key());
  for (auto shown = report_.shown.begin(); shown != report_.shown.end();) {
    if (current.contains(shown->first)) {
      ++shown;
      continue;
    }
    v1::Finding before;
    before.ParseFromString(shown->second);
    v1::WatchAuditResponse event;
    v1::Finding* withdrawn = event.mutable_finding();
    withdrawn->set_key(shown->first);
    withdrawn->set_check_id(before.check_id());
    withdrawn->set_scope(before.scope());
    *withdrawn->mutable_subject() = before.subject();
    withdrawn->set_status(v1::CHECK_STATUS_PASS);
    withdrawn->set_reason("later readings no longer show it");
    AddEvent(std::move(event));
    shown = report_.shown.erase(shown);
  }
}

void AuditRun::ShowFindings(v1::AuditReport* report) {
  report_.findings.assign(std::make_move_iterator(report->mutable_findings()->begin()),
                          std::make_move_iterator(report->mutable_findings()->end()));
  WithdrawFindings();
  for (const v1::Finding& finding : report_.findings) {
    std::string bytes = finding.SerializeAsString();
    std::string& shown = report_.shown[finding.key()];
    if (shown == bytes) continue;
    shown = std::move(bytes);
    v1::WatchAuditResponse event;
    *event.mutable_finding() = finding;
    AddEvent(std::move(event));
  }
}

void AuditRun::End(v1::Verdict verdict) {
  *audit_.mutable_verdict() = std::move(verdict);
  if (early_end_) audit_.set_abort_reason(early_end_->reason);
  CloseWith(early_end_ ? early_end_->state : v1::AUDIT_STATE_DONE);
}

void AuditRun::CloseWith(v1::AuditState state) {
  tools_.loop->Cancel(timeout_timer_);
  *audit_.mutable_ended_at() = ToProto(tools_.loop->clock()->Wall());
  audit_.set_state(state);
  log_.Add(LastEvent());
  log_.Close();
  report_.shown.clear();
  judged_.reset();
  LogInfo("audit ended", {{"audit", audit_.audit_id()}, {"state", v1::AuditState_Name(state)}});
  if (on_end_) std::exchange(on_end_, nullptr)();
}

v1::WatchAuditResponse AuditRun::LastEvent() const {
  v1::WatchAuditResponse last;
  last.set_state(audit_.state());
  *last.mutable_progress() = audit_.progress();
  if (audit_.has_verdict()) *last.mutable_verdict() = audit_.verdict();
  last.set_note(audit_.abort_reason());
  return last;
}

void AuditRun::Cancel(const std::string& reason) {
  EndEarly(v1::AUDIT_STATE_CANCELLED, reason.empty() ? "cancelled" : "cancelled: " + reason);
}

AuditRun::ProbeStop AuditRun::StopProbes(const std::string& reason, std::function<void()> over) {
  ProbeStop stop;
  // Once it is judged, no pair of it runs or waits.
  const bool may_probe = !ended() && ProbesAsked() && audit_.state() != v1::AUDIT_STATE_JUDGING;
  if (may_probe && !early_end_) {
    stop.stopped = true;
    stop.pairs = EndEarly(v1::AUDIT_STATE_CANCELLED, reason);
  }
  if (probe_run_ != 0) {
    when_probes_are_over_.push_back(std::move(over));
  } else {
    over();
  }
  return stop;
}

ProbeRunner::Stopped AuditRun::EndEarly(v1::AuditState state, std::string reason) {
  if (ended() || early_end_) return {};
  early_end_ = EarlyEnd{state, std::move(reason)};
  switch (audit_.state()) {
    case v1::AUDIT_STATE_QUEUED:
      audit_.set_abort_reason(early_end_->reason);
      CloseWith(state);
      break;
    case v1::AUDIT_STATE_REFRESHING:
      // Either facts are awaited, or the hosts are being judged and the end follows by itself.
      fresh_facts_.StopWaiting();
      break;
    case v1::AUDIT_STATE_PROBING:
      if (probe_run_ != 0) return tools_.prober->Stop(probe_run_, early_end_->reason);
      break;
    default:
      break;
  }
  return {};
}

}  // namespace roceready
