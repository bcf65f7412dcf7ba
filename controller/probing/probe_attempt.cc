// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/probe_attempt.h"

#include <utility>

#include "controller/fleet/host_record.h"
#include "proto/contract/errors.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

// What an agent is given beyond its session's deadline and the lease before its adapter counts as
// free again.
constexpr Duration kSurelyOverMargin = std::chrono::seconds(2);

std::string_view StepWord(ProbeAttempt::Step step) {
  switch (step) {
    case ProbeAttempt::Step::kPrepare:
      return "prepare";
    case ProbeAttempt::Step::kConnect:
      return "connect";
    case ProbeAttempt::Step::kTogether:
      return "wait for the others";
    case ProbeAttempt::Step::kArm:
      return "arm";
    case ProbeAttempt::Step::kRun:
      return "run";
    case ProbeAttempt::Step::kClose:
      return "close";
    case ProbeAttempt::Step::kRelease:
    case ProbeAttempt::Step::kEnded:
      break;
  }
  return "release";
}

// The connection survives these.
bool GoesOnAfter(v1::PhaseOutcome outcome) {
  return outcome == v1::PHASE_OUTCOME_DONE || outcome == v1::PHASE_OUTCOME_MISMATCH;
}

// Datagrams have queue pairs of their own: whatever becomes of them, the connection lives.
bool LeavesConnection(const v1::ProbePhase& phase) {
  return phase.operation() == v1::PROBE_OPERATION_UD_PING;
}

}  // namespace

ProbeAttempt::ProbeAttempt(const ProbeLink* link, v1::ProbeSpec spec, std::vector<int> run,
                           std::shared_ptr<IncastGates> gates, std::function<void()> on_end)
    : link_(link),
      spec_(std::move(spec)),
      run_(std::move(run)),
      gates_(std::move(gates)),
      on_end_(std::move(on_end)) {
  sides_[0].side = v1::PROBE_SIDE_A;
  sides_[0].host = spec_.a().host();
  sides_[1].side = v1::PROBE_SIDE_B;
  sides_[1].host = spec_.b().host();
}

ProbeAttempt::~ProbeAttempt() { StopTimer(); }

ProbeAttempt::Side* ProbeAttempt::SideOf(const std::string& host) {
  for (Side& side : sides_) {
    if (side.host == host) return &side;
  }
  return nullptr;
}

v1::Order ProbeAttempt::OrderFor(const Side& side) const {
  v1::Order order;
  const bool of_a_phase = step_ == Step::kArm || step_ == Step::kRun || step_ == Step::kClose;
  order.set_order_id(fmt::format("{}/{}/{}{}/{}", spec_.probe_id(), spec_.attempt(),
                                 StepWord(step_),
                                 of_a_phase ? fmt::format("-{}", phase().index()) : "",
                                 side.side == v1::PROBE_SIDE_A ? "a" : "b"));
  order.set_probe_id(spec_.probe_id());
  order.set_attempt(spec_.attempt());
  *order.mutable_lease() = ToProto(link_->lease);
  return order;
}

void ProbeAttempt::Send(Side* side, v1::ConnectResponse order) {
  if (absl::Status sent = link_->send(side->host, std::move(order)); !sent.ok()) {
    side->lost = true;
  }
}

void ProbeAttempt::Await(Step step, Duration limit) {
  StopTimer();
  step_ = step;
  timer_ = link_->loop->RunAfter(limit, [this] {
    timer_ = 0;
    LimitPassed();
  });
}

void ProbeAttempt::StopTimer() {
  if (timer_ != 0) link_->loop->Cancel(timer_);
  timer_ = 0;
}

void ProbeAttempt::Begin() {
  surely_over_ =
      link_->loop->clock()->Now() + FromProto(spec_.deadline()) + link_->lease + kSurelyOverMargin;
  Await(Step::kPrepare, kPrepareLimit);
  for (Side& side : sides_) {
    v1::ConnectResponse message;
    *message.mutable_prepare_probe()->mutable_order() = OrderFor(side);
    *message.mutable_prepare_probe()->mutable_spec() = spec_;
    message.mutable_prepare_probe()->set_side(side.side);
    Send(&side, std::move(message));
    side.holds = !side.lost;
    side.instance = link_->instance_of(side.host);
  }
  for (Side& side : sides_) {
    if (side.lost) {
      Release({.ending = Ending::kAgentLost,
               .failed_step = "prepare",
               .detail = fmt::format("the agent of {} is not connected", side.host)});
      return;
    }
  }
}

void ProbeAttempt::OnMessage(const std::string& host, const v1::ConnectRequest& message) {
  Side* side = SideOf(host);
  if (side == nullptr || step_ == Step::kEnded || side->lost) return;
  switch (message.body_case()) {
    case v1::ConnectRequest::kProbePrepared:
      return OnPrepared(side, message.probe_prepared());
    case v1::ConnectRequest::kProbeConnected:
      return OnConnected(side);
    case v1::ConnectRequest::kProbeRefused:
      return OnRefused(side, message.probe_refused());
    case v1::ConnectRequest::kPhaseDone:
      return OnPhaseDone(side, message.phase_done());
    case v1::ConnectRequest::kEndReport:
      return OnEndReport(side, message.end_report());
    default:
      return;
  }
}

void ProbeAttempt::OnPrepared(Side* side, const v1::ProbePrepared& prepared) {
  if (step_ != Step::kPrepare) return;
  side->endpoint = prepared.endpoint();
  if (sides_[0].endpoint && sides_[1].endpoint) Connect();
}

void ProbeAttempt::Connect() {
  Await(Step::kConnect, kConnectLimit);
  for (int i : {0, 1}) {
    v1::ConnectResponse message;
    *message.mutable_connect_probe()->mutable_order() = OrderFor(sides_[i]);
    *message.mutable_connect_probe()->mutable_peer() = *sides_[1 - i].endpoint;
    Send(&sides_[i], std::move(message));
  }
}

void ProbeAttempt::OnConnected(Side* side) {
  if (step_ != Step::kConnect) return;
  side->connected = true;
  if (!sides_[0].connected || !sides_[1].connected) return;
  if (run_.empty()) {
    Release({});
    return;
  }
  BeginPhase();
}

void ProbeAttempt::BeginPhase() {
  if (gates_ == nullptr) return Arm();
  WaitForOthers(&gates_->arm, &ProbeAttempt::Arm);
}

void ProbeAttempt::BeginToRun() {
  if (gates_ == nullptr) return Run();
  WaitForOthers(&gates_->run, &ProbeAttempt::Run);
}

void ProbeAttempt::WaitForOthers(IncastGate* gate, void (ProbeAttempt::*next)()) {
  Await(Step::kTogether, kTogetherLimit);
  gate->Arrive(spec_.probe_id(), [weak = std::weak_ptr(self_), next](bool together) {
    const auto self = weak.lock();
    if (self == nullptr || (*self)->step_ != Step::kTogether) return;
    if (together) return ((*self)->*next)();
    (*self)->Release({.ending = Ending::kNoAnswer,
                      .failed_step = std::string(StepWord(Step::kTogether)),
                      .detail = "the other senders of the incast were not there with it"});
  });
}

void ProbeAttempt::Arm() {
  Await(Step::kArm, kArmLimit);
  v1::ConnectResponse message;
  *message.mutable_arm_phase()->mutable_order() = OrderFor(Passive());
  message.mutable_arm_phase()->set_phase(phase().index());
  Send(&Passive(), std::move(message));
}

void ProbeAttempt::Run() {
  Await(Step::kRun, FromProto(phase().deadline()) + kRunGrace);
  v1::ConnectResponse message;
  *message.mutable_run_phase()->mutable_order() = OrderFor(Active());
  message.mutable_run_phase()->set_phase(phase().index());
  Send(&Active(), std::move(message));
}

void ProbeAttempt::Close() {
  Await(Step::kClose, kCloseLimit);
  v1::ConnectResponse message;
  *message.mutable_close_phase()->mutable_order() = OrderFor(Passive());
  message.mutable_close_phase()->set_phase(phase().index());
  Send(&Passive(), std::move(message));
}

void ProbeAttempt::OnPhaseDone(Side* side, const v1::PhaseDone& done) {
  if (step_ != Step::kArm && step_ != Step::kRun && step_ != Step::kClose) return;
  if (done.result().index() != phase().index()) return;
  if (step_ == Step::kArm && side == &Passive()) {
    if (done.armed_only() && GoesOnAfter(done.result().outcome())) return BeginToRun();
    // It could not be armed: its result says why.
    side->phases[phase().index()] = done.result();
    return PhaseOver();
  }
  if (done.armed_only()) return;  // a repeat
  if (step_ == Step::kRun && side == &Active()) {
    side->phases[phase().index()] = done.result();
    return Close();
  }
  if (step_ == Step::kClose && side == &Passive()) {
    side->phases[phase().index()] = done.result();
    return PhaseOver();
  }
}

void ProbeAttempt::PhaseOver() {
  const std::uint32_t index = phase().index();
  for (const Side& side : sides_) {
    auto result = side.phases.find(index);
    if (result == side.phases.end() || GoesOnAfter(result->second.outcome()) ||
        LeavesConnection(phase())) {
      continue;
    }
    Release({.ending = Ending::kPhaseFailed,
             .failed_step = "run",
             .detail = result->second.detail(),
             .failed_phase = index});
    return;
  }
  if (next_run_ + 1 == run_.size()) {
    Release({});
    return;
  }
  ++next_run_;
  BeginPhase();
}

void ProbeAttempt::OnRefused(Side* side, const v1::ProbeRefused& refused) {
  if (step_ == Step::kRelease) {
    // It knows nothing of this attempt (any more): there is nothing to release.
    side->holds = false;
    FinishIfReleased();
    return;
  }
  // A prepare that was refused has left nothing behind.
  if (step_ == Step::kPrepare) side->holds = false;
  const std::string step(StepWord(step_));
  std::string detail = refused.detail();
  // The agent's words name the errno where it tells something.
  if (detail.empty() && refused.error() != 0) {
    detail = std::string(Message(ErrnoError(refused.error(), step)));
  }
  Release({.ending = Ending::kRefused,
           .failed_step = step,
           .detail = std::move(detail),
           .refusal = refused.reason(),
           .refused_by = side->side,
           .retry_after = FromProto(refused.retry_after())});
}

void ProbeAttempt::OnEndReport(Side* side, const v1::EndReport& report) {
  side->holds = false;
  side->report = report;
  for (const v1::PhaseResult& result : report.phases()) side->phases[result.index()] = result;
  if (step_ == Step::kRelease) {
    FinishIfReleased();
    return;
  }
  Release({.ending = Ending::kNoAnswer,
           .failed_step = std::string(StepWord(step_)),
           .detail = fmt::format("{} ended its session early: {}", side->host, report.detail())});
}

void ProbeAttempt::OnAgentGone(const std::string& host, const std::string& why) {
  Side* side = SideOf(host);
  if (side == nullptr || step_ == Step::kEnded || side->lost) return;
  side->lost = true;
  if (step_ == Step::kRelease) {
    // With its report heard it owes nothing.
    if (side->holds) {
      outcome_.ending = Ending::kAgentLost;
      outcome_.detail = fmt::format("agent lost on {}: {}", host, why);
    }
    FinishIfReleased();
    return;
  }
  Release({.ending = Ending::kAgentLost,
           .failed_step = std::string(StepWord(step_)),
           .detail = fmt::format("agent lost on {}: {}", host, why)});
}

void ProbeAttempt::Stop(const std::string& reason) {
  if (step_ == Step::kEnded || step_ == Step::kRelease) return;
  Release({.ending = Ending::kStopped, .failed_step = kStoppedStep, .detail = reason});
}

std::string ProbeAttempt::SilentHosts() const {
  std::string hosts;
  for (const Side& side : sides_) {
    bool owes = false;
    switch (step_) {
      case Step::kPrepare:
        owes = !side.endpoint;
        break;
      case Step::kConnect:
        owes = !side.connected;
        break;
      case Step::kTogether:
        break;
      case Step::kRun:
        owes = side.side == phase().active_side();
        break;
      case Step::kArm:
      case Step::kClose:
        owes = side.side != phase().active_side();
        break;
      case Step::kRelease:
      case Step::kEnded:
        owes = side.holds && !side.lost;
        break;
    }
    if (owes) hosts += (hosts.empty() ? "" : " and ") + side.host;
  }
  return hosts;
}

void ProbeAttempt::LimitPassed() {
  if (step_ == Step::kRelease) {
    // Whoever still owes its report is lost: what it measured is unknown.
    outcome_.ending = Ending::kAgentLost;
    outcome_.detail = fmt::format("agent lost on {}: no end report within {}{}", SilentHosts(),
                                  InWords(kReleaseLimit),
                                  outcome_.detail.empty() ? "" : "; before: " + outcome_.detail);
    for (Side& side : sides_) side.lost = side.lost || side.holds;
    Finish();
    return;
  }
  Release({.ending = Ending::kNoAnswer,
           .failed_step = std::string(StepWord(step_)),
           .detail = step_ == Step::kTogether
                         ? fmt::format("not all senders of the incast were ready within {}",
                                       InWords(kTogetherLimit))
                         : fmt::format("no answer from {} to {}", SilentHosts(), StepWord(step_))});
}

void ProbeAttempt::Release(Outcome outcome) {
  outcome_ = std::move(outcome);
  Await(Step::kRelease, kReleaseLimit);
  for (Side& side : sides_) {
    if (!side.holds || side.lost) continue;
    v1::ConnectResponse message;
    *message.mutable_release_probe()->mutable_order() = OrderFor(side);
    message.mutable_release_probe()->set_reason(outcome_.detail.empty() ? "all phases were run"
                                                                        : outcome_.detail);
    Send(&side, std::move(message));
  }
  FinishIfReleased();
}

void ProbeAttempt::FinishIfReleased() {
  for (const Side& side : sides_) {
    if (side.holds && !side.lost) return;
  }
  Finish();
}

void ProbeAttempt::Finish() {
  if (step_ == Step::kEnded) return;
  StopTimer();
  step_ = Step::kEnded;
  // Not from within a call of the owner, who may not expect it, or of ours, which would return
  // into a destroyed object.
  link_->loop->PostControl(std::exchange(on_end_, nullptr));
}

}  // namespace roceready
