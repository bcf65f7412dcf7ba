// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/session.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "agent/probe/answers.h"
#include "agent/probe/counters.h"
#include "agent/probe/datagram_receiver.h"
#include "agent/probe/datagram_sender.h"
#include "agent/probe/device_use.h"
#include "agent/probe/initiator.h"
#include "agent/probe/responder.h"
#include "proto/contract/errors.h"

namespace roceready::probe {

// A phase that has begun here; its context is referred to by the responder.
struct Session::ActivePhase {
  PhaseContext context;
  std::vector<v1::PortCounters> counters_before;
  TimePoint counted_at;
  std::unique_ptr<PassiveSide> passive;
};

Session::Session(v1::ProbeSpec spec, v1::ProbeSide side,
                 std::shared_ptr<const Environment> environment,
                 std::shared_ptr<RateLimiter> agent_rate, Output output)
    : spec_(std::move(spec)),
      side_(side),
      environment_(std::move(environment)),
      agent_rate_(std::move(agent_rate)),
      order_rate_(spec_.rate_limit_bps()),
      output_(std::move(output)),
      deadline_(environment_->clock->Now() + ToNanoseconds(spec_.deadline())),
      phase_begun_(static_cast<size_t>(spec_.phases_size()), false) {}

Session::~Session() = default;

void Session::Run() {
  while (!over_) {
    const auto step = NextStep();
    if (!step) break;
    Take(*step);
  }
  const std::string detail = Ending().value_or("nothing more could be done");
  Doing("giving back what it held");
  armed_.reset();
  wire_.reset();
  connection_.reset();
  Doing("");
  if (refused_) return output_.ended(std::nullopt);
  output_.ended(Report(detail));
}

bool Session::Enqueue(Step step) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= kMaxQueuedSteps) return false;
    queue_.push_back(std::move(step));
  }
  interrupt_.Set();
  return true;
}

void Session::End(std::string_view reason) {
  {
    const std::lock_guard lock(mutex_);
    if (end_asked_) return;
    end_reason_ = reason;
    end_asked_ = true;
  }
  interrupt_.Set();
}

std::string Session::node() const {
  const std::lock_guard lock(mutex_);
  return node_;
}

v1::EndReport Session::ReportStuck() const {
  std::string detail;
  {
    const std::lock_guard lock(mutex_);
    detail = fmt::format("{}; its thread is stuck in the kernel while {}",
                         end_reason_.empty() ? "session deadline" : end_reason_, activity_);
  }
  v1::EndReport report = Report(detail);
  report.set_resources_left(std::max(1U, objects_held()));
  return report;
}

v1::EndReport Session::Report(std::string_view detail) const {
  const std::lock_guard lock(mutex_);
  v1::EndReport report;
  report.set_probe_id(spec_.probe_id());
  report.set_attempt(spec_.attempt());
  report.set_side(side_);
  for (const v1::PhaseResult& result : results_) *report.add_phases() = result;
  if (!used_.gid().empty()) *report.mutable_used() = used_;
  if (wire_seen_) *report.mutable_wire() = *wire_seen_;
  report.set_resources_left(objects_held());
  report.set_detail(std::string(detail));
  return report;
}

std::optional<std::string> Session::Ending() {
  if (!end_asked_) {
    if (environment_->clock->Now() < deadline_) return std::nullopt;
    End("session deadline");
  }
  const std::lock_guard lock(mutex_);
  return end_reason_;
}

std::optional<Step> Session::NextStep() {
  for (;;) {
    interrupt_.Clear();
    if (Ending()) return std::nullopt;
    {
      const std::lock_guard lock(mutex_);
      if (!queue_.empty()) {
        Step step = std::move(queue_.front());
        queue_.pop_front();
        return step;
      }
    }
    const bool serving = armed_ && armed_->passive->NeedsService() && connection_->alive();
    if (serving) {
      armed_->passive->Serve();
      // A queue that cannot be waited for cannot be served either; Close will say so.
      if (connection_->completions().Wait(*environment_->clock, interrupt_, deadline_).ok())
        continue;
    }
    std::array<pollfd, 1> wakeable{interrupt_.Readable()};
    environment_->clock->Wait(wakeable, deadline_);
  }
}

void Session::Take(const Step& step) {
  Doing(step.name);
  switch (step.kind) {
    case StepKind::kPrepare:
      return Prepare(step);
    case StepKind::kConnect:
      return Connect(step);
    case StepKind::kArm:
      return ArmPassive(step);
    case StepKind::kRun:
      return RunActive(step);
    case StepKind::kClose:
      return ClosePassive(step);
  }
}

void Session::Prepare(const Step& step) {
  const auto refuse = [&](const Refusal& refusal) {
    refused_ = over_ = true;
    // Given back before it is said.
    connection_.reset();
    Refuse(step, refusal);
  };
  if (!interrupt_.valid()) {
    return refuse({v1::REFUSAL_REASON_RESOURCES, "no file descriptor is left", EMFILE});
  }
  const auto name = environment_->devices->RdmaName(EndOf(spec_, side_).rdma_device_id());
  if (!name.ok()) return refuse(RefusalOf(name.status()));
  rdma_name_ = *name;
  if (HasBandwidthPhase(spec_)) {
    if (const auto busy = CheckBusy(*environment_, spec_, rdma_name_)) return refuse(*busy);
  }
  const auto node = environment_->verbs->NodeOf(rdma_name_);
  if (!node.ok()) return refuse(RefusalOf(node.status()));
  {
    // Before the device is opened: its removal from now on ends the session.
    const std::lock_guard lock(mutex_);
    node_ = *node;
  }
  connection_ = std::make_unique<Connection>(*environment_, spec_, side_, rdma_name_);
  if (const auto refusal = connection_->Prepare(count_)) return refuse(*refusal);
  {
    const std::lock_guard lock(mutex_);
    used_ = connection_->endpoint();
  }
  v1::ConnectRequest answer;
  v1::ProbePrepared& prepared = *answer.mutable_probe_prepared();
  prepared.set_probe_id(spec_.probe_id());
  prepared.set_attempt(spec_.attempt());
  *prepared.mutable_endpoint() = connection_->endpoint();
  output_.answer(step.name, std::move(answer));
}

void Session::Connect(const Step& step) {
  if (connection_->connected()) {
    return Refuse(step, {v1::REFUSAL_REASON_INVALID, "the probe is connected already", EISCONN});
  }
  if (const absl::Status status = connection_->Connect(step.peer); !status.ok()) {
    over_ = true;
    Refuse(step, RefusalOf(status));
    return End(fmt::format("connecting failed: {}", Message(status)));
  }
  wire_ = std::make_unique<WireWatch>(*environment_, EndOf(spec_, side_), connection_->endpoint(),
                                      connection_->peer());
  v1::ConnectRequest answer;
  answer.mutable_probe_connected()->set_probe_id(spec_.probe_id());
  answer.mutable_probe_connected()->set_attempt(spec_.attempt());
  output_.answer(step.name, std::move(answer));
}

bool Session::FitsPhase(const Step& step, bool active) {
  const auto refuse = [&](std::string detail) {
    Refuse(step, {v1::REFUSAL_REASON_INVALID, std::move(detail), EINVAL});
    return false;
  };
  if (!connection_->connected()) return refuse("the probe is not connected");
  if (step.phase >= phase_begun_.size()) return refuse("there is no such phase");
  const bool is_active = spec_.phases(static_cast<int>(step.phase)).active_side() == side_;
  if (is_active != active) {
    return refuse(is_active ? "this side is the active one" : "this side is the passive one");
  }
  if (step.kind == StepKind::kClose) {
    return armed_ && armed_->context.phase.index() == step.phase ? true
                                                                 : refuse("the phase is not armed");
  }
  if (armed_) return refuse("another phase is armed");
  if (phase_begun_[step.phase]) return refuse("the phase has been begun before");
  phase_begun_[step.phase] = true;
  return true;
}

std::unique_ptr<Session::ActivePhase> Session::BeginPhase(uint32_t index) {
  const v1::ProbePhase& phase = spec_.phases(static_cast<int>(index));
  const nanoseconds limit = ToNanoseconds(phase.deadline());
  Clock& clock = *environment_->clock;
  return std::make_unique<ActivePhase>(ActivePhase{
      .context = {
          .spec = spec_,
          .phase = phase,
          .connection = *connection_,
          .clock = clock,
          .interrupt = interrupt_,
          .deadline = limit.count() > 0 ? std::min(deadline_, clock.Now() + limit) : deadline_,
          .ending = [this] { return Ending(); },
          .busy = [this] { return CheckBusy(*environment_, spec_, rdma_name_); },
          .agent_rate = *agent_rate_,
          .order_rate = order_rate_},
      .counters_before = {},
      .counted_at = {},
      .passive = nullptr});
}

std::optional<Refusal> Session::BusyFor(const PhaseContext& context) {
  if (context.phase.measure() != v1::PROBE_MEASURE_BANDWIDTH) return std::nullopt;
  return context.busy();
}

std::unique_ptr<ActiveSide> Session::MakeActive(const PhaseContext& context) {
  if (!IsDatagrams(context.phase)) return std::make_unique<Initiator>(context);
  return std::make_unique<DatagramSender>(context, *connection_->datagrams());
}

std::unique_ptr<PassiveSide> Session::MakePassive(const PhaseContext& context) {
  if (!IsDatagrams(context.phase)) return std::make_unique<Responder>(context);
  return std::make_unique<DatagramReceiver>(context, *connection_->datagrams());
}

std::optional<std::string> Session::WhyUnusable(const v1::ProbePhase& phase) const {
  if (IsDatagrams(phase)) return connection_->why_no_datagrams();
  if (connection_->alive()) return std::nullopt;
  return "the queue pairs are in error";
}

std::vector<v1::PortCounters> Session::ReadCounters() {
  return environment_->counters->Read(EndOf(spec_, side_), rdma_name_);
}

void Session::AddCounters(const std::vector<v1::PortCounters>& before, TimePoint counted_at,
                          v1::PhaseResult& result) {
  // The device may be on its way out: nothing more is asked of it.
  if (Ending()) return;
  const nanoseconds window = environment_->clock->Now() - counted_at;
  for (v1::PortCounters& port : CounterDeltas(before, ReadCounters(), window)) {
    *result.add_counters() = std::move(port);
  }
}

void Session::LookAtWire() {
  v1::WireView seen = wire_->Look();
  const std::lock_guard lock(mutex_);
  wire_seen_ = std::move(seen);
}

void Session::ArmPassive(const Step& step) {
  if (!FitsPhase(step, /*active=*/false)) return;
  v1::PhaseResult result;
  result.set_index(step.phase);
  result.set_outcome(v1::PHASE_OUTCOME_DONE);
  auto phase = BeginPhase(step.phase);
  if (const auto why = WhyUnusable(phase->context.phase)) {
    SetOutcome(result, v1::PHASE_OUTCOME_NOT_RUN, ENOTCONN, *why);
    return AnswerPhase(step, std::move(result), /*armed_only=*/true);
  }
  if (const auto busy = BusyFor(phase->context)) {
    SetOutcome(result, v1::PHASE_OUTCOME_NOT_RUN, busy->error, busy->detail);
    return AnswerPhase(step, std::move(result), /*armed_only=*/true);
  }
  phase->passive = MakePassive(phase->context);
  if (const absl::Status status = phase->passive->Arm(); !status.ok()) {
    SetLocalError(result, status);
    return AnswerPhase(step, std::move(result), /*armed_only=*/true);
  }
  phase->counters_before = ReadCounters();
  phase->counted_at = environment_->clock->Now();
  armed_ = std::move(phase);
  AnswerPhase(step, std::move(result), /*armed_only=*/true);
}

void Session::ClosePassive(const Step& step) {
  if (!FitsPhase(step, /*active=*/false)) return;
  const auto phase = std::exchange(armed_, nullptr);
  v1::PhaseResult result = phase->passive->Close();
  AddCounters(phase->counters_before, phase->counted_at, result);
  LookAtWire();
  AnswerPhase(step, std::move(result), /*armed_only=*/false);
}

void Session::RunActive(const Step& step) {
  if (!FitsPhase(step, /*active=*/true)) return;
  const auto phase = BeginPhase(step.phase);
  v1::PhaseResult result;
  result.set_index(step.phase);
  result.set_outcome(v1::PHASE_OUTCOME_DONE);
  if (const auto why = WhyUnusable(phase->context.phase)) {
    SetOutcome(result, v1::PHASE_OUTCOME_NOT_RUN, ENOTCONN, *why);
    return AnswerPhase(step, std::move(result), /*armed_only=*/false);
  }
  if (const auto busy = BusyFor(phase->context)) {
    SetOutcome(result, v1::PHASE_OUTCOME_NOT_RUN, busy->error, busy->detail);
    return AnswerPhase(step, std::move(result), /*armed_only=*/false);
  }
  const std::unique_ptr<ActiveSide> active = MakeActive(phase->context);
  active->Arm();
  const auto counters_before = ReadCounters();
  const TimePoint counted_at = environment_->clock->Now();
  result = active->Run();
  AddCounters(counters_before, counted_at, result);
  LookAtWire();
  AnswerPhase(step, std::move(result), /*armed_only=*/false);
}

void Session::Refuse(const Step& step, const Refusal& refusal) {
  output_.answer(step.name, Refused({spec_.probe_id(), spec_.attempt()}, step.name, refusal));
}

void Session::AnswerPhase(const Step& step, v1::PhaseResult result, bool armed_only) {
  if (!armed_only) {
    const std::lock_guard lock(mutex_);
    results_.push_back(result);
  }
  v1::ConnectRequest answer;
  v1::PhaseDone& done = *answer.mutable_phase_done();
  done.set_probe_id(spec_.probe_id());
  done.set_attempt(spec_.attempt());
  done.set_side(side_);
  done.set_armed_only(armed_only);
  *done.mutable_result() = std::move(result);
  output_.answer(step.name, std::move(answer));
}

void Session::Doing(std::string_view activity) {
  const std::lock_guard lock(mutex_);
  activity_ = activity;
}

}  // namespace roceready::probe
