// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/executor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "agent/probe/answers.h"
#include "agent/probe/environment.h"
#include "agent/probe/interrupt.h"
#include "agent/probe/limits.h"
#include "agent/probe/order_view.h"
#include "agent/probe/report_box.h"
#include "agent/probe/session.h"
#include "proto/contract/errors.h"

namespace roceready::probe {
// Shared with the session threads. One further thread, the courier, calls the link, joins threads
// that are done and notices those that are stuck; so nothing is called with the mutex held.
class Executor::State : public std::enable_shared_from_this<State> {
 public:
  State(const v1::AgentProbeLimits& limits, std::shared_ptr<const Environment> environment,
        Answer answer)
      : limits(LimitsInForce(limits)),
        environment_(std::move(environment)),
        answer_(std::move(answer)),
        agent_rate_(std::make_shared<RateLimiter>(limits.rate_bps())) {}

  void Start() {
    courier_ = std::thread([this] { Deliver(); });
  }
  void Stop();

  void BeginSession(uint64_t epoch, std::string_view session);
  void Execute(const OrderView& view);
  void EndWhere(const std::function<bool(const Session&)>& chosen, std::string_view reason);
  void Accepted(const v1::EndReportAccepted& accepted);

  const v1::ProbeLimits limits;

  uint64_t highest_epoch() {
    const std::lock_guard lock(mutex_);
    return highest_epoch_;
  }
  std::vector<v1::EndReport> reports() {
    const std::lock_guard lock(mutex_);
    return reports_.reports();
  }
  uint64_t dropped_reports() {
    const std::lock_guard lock(mutex_);
    return reports_.dropped();
  }
  size_t live_sessions() {
    const std::lock_guard lock(mutex_);
    return live_;
  }
  std::vector<std::string> OpenProbes();

 private:
  struct Record {
    v1::ProbeSide side = v1::PROBE_SIDE_UNSPECIFIED;
    std::string device_id;
    uint64_t memory_bytes = 0;
    // By step; empty while the session works on it.
    std::map<std::string, std::optional<v1::ConnectRequest>> answers;
    // Null once it has ended. The thread is joined when the session has said so.
    std::shared_ptr<Session> session;
    std::thread thread;
    TimePoint give_up_at{};
    bool stuck = false;
    // Asked for while the session lived: its end has to be told.
    bool release_asked = false;
    // The answer to every order from then on.
    std::optional<v1::ConnectRequest> last_word;
  };

  // All of these with the mutex held.
  std::optional<Refusal> Fence(const v1::Order& order);
  std::optional<Refusal> CheckRoom(const v1::PrepareProbe& prepare) const;
  void Prepare(const OrderView& view);
  void Release(const OrderView& view);
  void TakeStep(const OrderView& view, Record& record);
  void Send(v1::ConnectRequest answer);
  void AskToEnd(Record& record, std::string_view reason);
  void Remember(const ProbeKey& key);
  void GiveUpOnStuck(TimePoint now);
  TimePoint NextLook() const;

  // From session threads.
  void OnAnswer(const ProbeKey& key, const std::string& step, v1::ConnectRequest answer);
  void OnEnded(const ProbeKey& key, std::optional<v1::EndReport> report);
  // The courier's body.
  void Deliver();

  const std::shared_ptr<const Environment> environment_;
  const Answer answer_;
  const std::shared_ptr<RateLimiter> agent_rate_;
  Interrupt wake_;
  std::thread courier_;

  std::mutex mutex_;
  uint64_t highest_epoch_ = 0;
  std::string session_;
  std::map<ProbeKey, Record> records_;
  std::deque<ProbeKey> ended_;
  ReportBox reports_{kMaxUnacceptedReports};
  std::deque<v1::ConnectRequest> outbox_;
  std::vector<std::thread> finished_;
  size_t live_ = 0;
  uint64_t memory_used_ = 0;
  bool stopping_ = false;
};

void Executor::State::Stop() {
  EndWhere([](const Session&) { return true; }, "the agent stops");
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.Set();
  courier_.join();
  const std::lock_guard lock(mutex_);
  // Stuck in the kernel: such a thread holds what it uses and ends when the kernel lets it.
  for (auto& [key, record] : records_) {
    if (record.thread.joinable()) record.thread.detach();
  }
}

void Executor::State::BeginSession(uint64_t epoch, std::string_view session) {
  const std::lock_guard lock(mutex_);
  session_ = session;
  highest_epoch_ = std::max(highest_epoch_, epoch);
}

std::optional<Refusal> Executor::State::Fence(const v1::Order& order) {
  if (order.session() != session_) {
    return Refusal{v1::REFUSAL_REASON_STALE_EPOCH, "the order is of another session", ESTALE};
  }
  if (order.epoch() < highest_epoch_) {
    return Refusal{v1::REFUSAL_REASON_STALE_EPOCH,
                   fmt::format("epoch {} is over, {} has been seen", order.epoch(), highest_epoch_),
                   ESTALE};
  }
  highest_epoch_ = order.epoch();
  return std::nullopt;
}

void Executor::State::Execute(const OrderView& view) {
  const std::lock_guard lock(mutex_);
  if (const auto refusal = Fence(*view.order)) return Send(Refused(view.key, view.step, *refusal));
  const auto found = records_.find(view.key);
  if (found == records_.end()) {
    if (view.prepare) return Prepare(view);
    if (view.release) return Release(view);
    return Send(
        Refused(view.key, view.step,
                {v1::REFUSAL_REASON_INVALID, "this agent has not prepared the probe", ENOENT}));
  }
  Record& record = found->second;
  if (record.last_word) {
    const bool refused = record.last_word->has_probe_refused();
    if (refused && view.release)
      return Send(Reported(NothingHeld(view.key, record.side, "refused")));
    return Send(*record.last_word);
  }
  if (view.release) {
    record.release_asked = true;
    const std::string& why = view.release->reason();
    return AskToEnd(record, why.empty() ? "released" : fmt::format("released: {}", why));
  }
  TakeStep(view, record);
}

void Executor::State::Prepare(const OrderView& view) {
  const v1::PrepareProbe& prepare = *view.prepare;
  Record& record = records_[view.key];
  record.side = prepare.side();
  const auto refuse = [&](const Refusal& refusal) {
    record.last_word = Refused(view.key, view.step, refusal);
    Remember(view.key);
    Send(*record.last_word);
  };
  const v1::ProbeSpec& spec = prepare.spec();
  if (spec.probe_id() != view.key.probe_id || spec.attempt() != view.key.attempt) {
    return refuse({v1::REFUSAL_REASON_INVALID, "order and spec name different probes", EINVAL});
  }
  if (const auto refusal = CheckSpec(spec, prepare.side(), limits)) return refuse(*refusal);
  if (const auto refusal = CheckRoom(prepare)) return refuse(*refusal);

  const auto self = shared_from_this();
  const ProbeKey key = view.key;
  const auto session = std::make_shared<Session>(
      spec, prepare.side(), environment_, agent_rate_,
      Session::Output{.answer =
                          [self, key](const std::string& step, v1::ConnectRequest answer) {
                            self->OnAnswer(key, step, std::move(answer));
                          },
                      .ended =
                          [self, key](std::optional<v1::EndReport> report) {
                            self->OnEnded(key, std::move(report));
                          }});
  session->Enqueue(*view.session_step);
  try {
    record.thread = std::thread([session] { session->Run(); });
  } catch (const std::system_error& error) {
    return refuse({v1::REFUSAL_REASON_RESOURCES, fmt::format("no thread: {}", error.what()),
                   error.code().value()});
  }
  record.answers[view.step] = std::nullopt;
  record.session = session;
  record.device_id = EndOf(spec, prepare.side()).rdma_device_id();
  record.memory_bytes = MemoryOf(spec);
  record.give_up_at = session->deadline() + kEndGrace;
  memory_used_ += record.memory_bytes;
  ++live_;
  wake_.Set();
}

std::optional<Refusal> Executor::State::CheckRoom(const v1::PrepareProbe& prepare) const {
  if (stopping_) return Refusal{v1::REFUSAL_REASON_LIMIT, "the agent stops", ESHUTDOWN};
  const v1::ProbeSpec& spec = prepare.spec();
  for (const auto& [key, record] : records_) {
    if (record.stuck && record.device_id == EndOf(spec, prepare.side()).rdma_device_id()) {
      return Refusal{v1::REFUSAL_REASON_RESOURCES,
                     fmt::format("probe {}/{} is stuck in the kernel on this device", key.probe_id,
                                 key.attempt),
                     EBUSY};
    }
  }
  if (live_ >= limits.sessions()) {
    return Refusal{v1::REFUSAL_REASON_LIMIT,
                   fmt::format("{} sessions run, {} are allowed here", live_, limits.sessions()),
                   EAGAIN};
  }
  if (MemoryOf(spec) > limits.memory_bytes() - std::min(memory_used_, limits.memory_bytes())) {
    return Refusal{v1::REFUSAL_REASON_LIMIT,
                   fmt::format("{} bytes of memory ordered, {} of {} are in use", MemoryOf(spec),
                               memory_used_, limits.memory_bytes()),
                   EAGAIN};
  }
  return std::nullopt;
}

void Executor::State::Release(const OrderView& view) {
  // Not known here: nothing is held, and a prepare that comes late is not to run.
  Record& record = records_[view.key];
  record.last_word = Reported(
      NothingHeld(view.key, v1::PROBE_SIDE_UNSPECIFIED, "this agent has not prepared the probe"));
  Remember(view.key);
  Send(*record.last_word);
}

void Executor::State::TakeStep(const OrderView& view, Record& record) {
  const auto known = record.answers.find(view.step);
  if (known != record.answers.end()) {
    // Being worked on: the answer comes once.
    if (known->second) Send(*known->second);
    return;
  }
  if (!record.session->Enqueue(*view.session_step)) {
    return Send(Refused(view.key, view.step,
                        {v1::REFUSAL_REASON_RESOURCES, "too many steps are waiting", EAGAIN}));
  }
  record.answers[view.step] = std::nullopt;
}

void Executor::State::EndWhere(const std::function<bool(const Session&)>& chosen,
                               std::string_view reason) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, record] : records_) {
    if (record.session && chosen(*record.session)) AskToEnd(record, reason);
  }
}

void Executor::State::AskToEnd(Record& record, std::string_view reason) {
  if (!record.session) return;
  record.session->End(reason);
  record.give_up_at = std::min(record.give_up_at, environment_->clock->Now() + kEndGrace);
  wake_.Set();
}

void Executor::State::Send(v1::ConnectRequest answer) {
  outbox_.push_back(std::move(answer));
  wake_.Set();
}

void Executor::State::Remember(const ProbeKey& key) {
  ended_.push_back(key);
  if (ended_.size() <= kMaxRemembered) return;
  records_.erase(ended_.front());
  ended_.pop_front();
}

void Executor::State::Accepted(const v1::EndReportAccepted& accepted) {
  const std::lock_guard lock(mutex_);
  reports_.Accepted(accepted);
}

std::vector<std::string> Executor::State::OpenProbes() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> open;
  for (const auto& [key, record] : records_) {
    if (record.session && !record.stuck) {
      open.push_back(fmt::format("{}/{}", key.probe_id, key.attempt));
    }
  }
  for (const v1::EndReport& report : reports_.reports()) {
    open.push_back(fmt::format("{}/{}", report.probe_id(), report.attempt()));
  }
  return open;
}

void Executor::State::OnAnswer(const ProbeKey& key, const std::string& step,
                               v1::ConnectRequest answer) {
  const std::lock_guard lock(mutex_);
  Record& record = records_[key];
  // After it was given up its EndReport is the last word.
  if (record.stuck) return;
  record.answers[step] = answer;
  Send(std::move(answer));
}

void Executor::State::OnEnded(const ProbeKey& key, std::optional<v1::EndReport> report) {
  const std::lock_guard lock(mutex_);
  Record& record = records_[key];
  finished_.push_back(std::move(record.thread));
  record.session.reset();
  memory_used_ -= record.memory_bytes;
  --live_;
  wake_.Set();
  if (std::exchange(record.stuck, false)) {
    Remember(key);
    return;
  }
  if (report) {
    record.last_word = Reported(*report);
    reports_.Add(*report);
    Send(*record.last_word);
  } else {
    // Refused: that is its answer to a repeated prepare, and nothing is left to release.
    const v1::ConnectRequest nothing_held = Reported(NothingHeld(key, record.side, "refused"));
    if (record.release_asked) Send(nothing_held);
    const auto& refused = record.answers["prepare"];
    record.last_word = refused ? *refused : nothing_held;
  }
  record.answers.clear();
  Remember(key);
}

void Executor::State::GiveUpOnStuck(TimePoint now) {
  for (auto& [key, record] : records_) {
    if (!record.session || record.stuck || now < record.give_up_at) continue;
    record.stuck = true;
    const v1::EndReport report = record.session->ReportStuck();
    record.last_word = Reported(report);
    record.answers.clear();
    reports_.Add(report);
    Send(*record.last_word);
  }
}

TimePoint Executor::State::NextLook() const {
  TimePoint next = TimePoint::max();
  for (const auto& [key, record] : records_) {
    if (record.session && !record.stuck) next = std::min(next, record.give_up_at);
  }
  return next;
}

void Executor::State::Deliver() {
  Clock& clock = *environment_->clock;
  for (;;) {
    wake_.Clear();
    std::deque<v1::ConnectRequest> answers;
    std::vector<std::thread> finished;
    TimePoint next_look;
    bool done = false;
    {
      const std::lock_guard lock(mutex_);
      GiveUpOnStuck(clock.Now());
      answers.swap(outbox_);
      finished.swap(finished_);
      next_look = NextLook();
      done = stopping_ && next_look == TimePoint::max();
    }
    for (v1::ConnectRequest& answer : answers) answer_(std::move(answer));
    for (std::thread& thread : finished) thread.join();
    if (done) return;
    std::array<pollfd, 1> wakeable{wake_.Readable()};
    clock.Wait(wakeable, next_look);
  }
}

Executor::Executor(const v1::AgentProbeLimits& limits,
                   std::shared_ptr<const Environment> environment, Answer answer)
    : state_(std::make_shared<State>(limits, std::move(environment), std::move(answer))) {
  state_->Start();
}

Executor::~Executor() { state_->Stop(); }

void Executor::BeginSession(uint64_t epoch, std::string_view session) {
  state_->BeginSession(epoch, session);
}

uint64_t Executor::highest_epoch() const { return state_->highest_epoch(); }

bool Executor::Execute(const v1::ConnectResponse& order) {
  const auto view = ViewOrder(order);
  if (view) state_->Execute(*view);
  return view.has_value();
}

void Executor::EndAll(std::string_view reason) {
  state_->EndWhere([](const Session&) { return true; }, reason);
}

void Executor::NodeGone(std::string_view uverbs_name) {
  state_->EndWhere([&](const Session& session) { return session.node() == uverbs_name; },
                   fmt::format("device gone: {} was removed", uverbs_name));
}

std::vector<v1::EndReport> Executor::UnacceptedReports() const { return state_->reports(); }

void Executor::Accepted(const v1::EndReportAccepted& accepted) { state_->Accepted(accepted); }

uint64_t Executor::dropped_reports() const { return state_->dropped_reports(); }

std::vector<std::string> Executor::OpenProbes() const { return state_->OpenProbes(); }

size_t Executor::live_sessions() const { return state_->live_sessions(); }

v1::ProbeLimits Executor::limits() const { return state_->limits; }

}  // namespace roceready::probe
