// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/fleet.h"

#include <algorithm>
#include <utility>

#include "proto/contract/errors.h"
#include "proto/contract/ids.h"
#include "proto/process/durations.h"
#include "proto/process/logging.h"

namespace roceready {
namespace {

// How often liveness is looked at; finer than any interval an operator would set.
constexpr Duration kTick = std::chrono::milliseconds(500);

// An agent that was refused dials again at least once a minute: five quiet minutes mean that the
// second machine is gone.
constexpr Duration kDuplicateRemembered = std::chrono::minutes(5);

// Clamped: the other end may claim any time, and the difference has to fit.
Duration OffsetOf(WallTime theirs, WallTime ours) {
  constexpr Duration kMost = std::chrono::hours(24 * 365 * 100);
  const Duration their = std::clamp(theirs.time_since_epoch(), -kMost, kMost);
  return their - ours.time_since_epoch();
}

v1::Order* OrderOf(v1::ConnectResponse* message) {
  switch (message->body_case()) {
    case v1::ConnectResponse::kPrepareProbe:
      return message->mutable_prepare_probe()->mutable_order();
    case v1::ConnectResponse::kConnectProbe:
      return message->mutable_connect_probe()->mutable_order();
    case v1::ConnectResponse::kArmPhase:
      return message->mutable_arm_phase()->mutable_order();
    case v1::ConnectResponse::kRunPhase:
      return message->mutable_run_phase()->mutable_order();
    case v1::ConnectResponse::kClosePhase:
      return message->mutable_close_phase()->mutable_order();
    case v1::ConnectResponse::kReleaseProbe:
      return message->mutable_release_probe()->mutable_order();
    default:
      return nullptr;
  }
}

}  // namespace

Fleet::Fleet(EventLoop* loop, LinkOptions options)
    : loop_(loop),
      options_(std::move(options)),
      pacer_(options_.facts_at_once, options_.facts_patience) {
  tick_timer_ = loop_->RunAfter(kTick, [this] { Tick(); });
}

Fleet::~Fleet() { loop_->Cancel(tick_timer_); }

absl::Status Fleet::TakeUp(const std::string& host, const v1::HostFacts& facts, Duration age) {
  ASSIGN_OR_RETURN(FactParts parts, SplitFacts(facts));
  HostRecord& record = hosts_[host];
  record.host = host;
  record.machine_id = facts.identity().machine_id();
  record.last_heard = loop_->clock()->Now();
  record.kept_of = loop_->clock()->Wall() - age;
  for (const auto& [key, part] : parts) record.read_at[key] = record.last_heard - age;
  record.facts_digest = DigestOfParts(parts);
  record.parts = std::make_shared<const FactParts>(std::move(parts));
  took_up_ = true;
  return absl::OkStatus();
}

StreamId Fleet::Accept(std::shared_ptr<AgentConnection> connection) {
  const StreamId id = next_stream_++;
  sessions_[id] = std::make_shared<AgentSession>(id, std::move(connection), &options_,
                                                 loop_->clock()->Now(), this);
  return id;
}

void Fleet::Receive(StreamId stream, v1::ConnectRequest message) {
  auto found = sessions_.find(stream);
  if (found == sessions_.end()) return;
  // Held here: the session may end, and leave the map, while it reads this message.
  const std::shared_ptr<AgentSession> session = found->second;
  session->Receive(std::move(message), loop_->clock()->Now());
  ConfirmDuplicate(session->host());
}

void Fleet::Lost(StreamId stream, const absl::Status& why) {
  auto found = sessions_.find(stream);
  if (found == sessions_.end()) return;
  const std::shared_ptr<AgentSession> session = found->second;
  session->StreamLost(why);
}

void Fleet::EndAll(const absl::Status& why) {
  for (const auto& [id, session] : std::map(sessions_)) session->End(why);
}

const HostRecord* Fleet::Find(std::string_view host) const {
  auto found = hosts_.find(host);
  return found == hosts_.end() ? nullptr : &found->second;
}

v1::Host Fleet::Describe(const std::string& host) const {
  const HostRecord* record = Find(host);
  v1::Host row =
      record == nullptr ? DescribeUnknownHost(host) : DescribeHost(*record, loop_->clock()->Now());
  if (const auto* mark = maintenance_.Find(host, loop_->clock()->Wall()); mark != nullptr) {
    row.set_state(v1::HOST_STATE_MAINTENANCE);
    row.set_state_reason(InWords(*mark));
  }
  return row;
}

bool Fleet::IsInMaintenance(std::string_view host) const {
  return maintenance_.Find(host, loop_->clock()->Wall()) != nullptr;
}

AgentSession* Fleet::LiveSession(std::string_view host) {
  auto found = live_.find(host);
  return found == live_.end() ? nullptr : sessions_.at(found->second).get();
}

absl::StatusOr<HostRecord*> Fleet::Admit(AgentSession* session, const v1::Hello& hello) {
  const std::string& host = session->host();
  if (AgentSession* incumbent = LiveSession(host)) {
    if (incumbent->machine_id() != session->machine_id()) {
      refused_[host] = {session->machine_id(), session->peer_address(), loop_->clock()->Now()};
      LogWarn("a second machine claims a host's name",
              {{"host", host}, {"peer", session->peer_address()}});
      return MakeError(
          absl::StatusCode::kAlreadyExists,
          fmt::format("another machine is connected as '{}' from {}: two machines hold a "
                      "certificate for one name",
                      host, incumbent->peer_address()));
    }
    incumbent->End(Unavailable("replaced by a new stream of the same machine from {}",
                               session->peer_address()));
  }
  live_[host] = session->id();
  ++counters_.streams_admitted;
  HostRecord& record = hosts_[host];
  record.host = host;
  record.clock_offset.reset();
  if (hello.has_host_time()) {
    record.clock_offset = OffsetOf(FromProto(hello.host_time()), loop_->clock()->Wall());
  }
  if (record.speaker != hello.instance()) {
    record.speaker = hello.instance();
    if (probe_listener_ != nullptr) probe_listener_->OnAgentStarted(host);
  }
  LogDebug("agent connected", {{"host", host},
                               {"peer", session->peer_address()},
                               {"version", hello.software_version()},
                               {"session", SessionName(session->token())}});
  return &record;
}

void Fleet::WantFacts(AgentSession* session, std::uint64_t since_generation) {
  v1::FactsWanted wanted;
  wanted.set_since_generation(since_generation);
  // An answer to this question also answers whoever waits for fresh facts of this host.
  if (auto waiting = waiters_.find(session->host()); waiting != waiters_.end()) {
    // Numbered in the order of their requests.
    wanted.set_request(waiting->second.rbegin()->second.request);
    wanted.set_collect_now(true);
  }
  pacer_.Ask(session->id(), wanted);
  SendReleasedQuestions();
}

void Fleet::WantFactsAnew(AgentSession* session) {
  pacer_.Answered(session->id());
  WantFacts(session, 0);
}

void Fleet::FactsCame(AgentSession* session, std::uint64_t request) {
  pacer_.Answered(session->id());
  FinishWaiters(session->host(), request, RefreshEnd::kFresh);
  SendReleasedQuestions();
}

void Fleet::ProbeMessageCame(AgentSession* session, const v1::ConnectRequest& message) {
  if (probe_listener_ != nullptr) probe_listener_->OnProbeMessage(session->host(), message);
}

void Fleet::Ended(AgentSession* session, const absl::Status& why) {
  // A copy: the session is gone before the name is used last.
  const std::string host = session->host();  // NOLINT(performance-unnecessary-copy-initialization)
  pacer_.Forget(session->id());
  auto live = live_.find(host);
  const bool was_live = live != live_.end() && live->second == session->id();
  if (was_live) {
    live_.erase(live);
    HostRecord& record = hosts_.at(host);
    record.connected = false;
    record.last_words = Message(why);
    if (auto refused = refused_.find(host);
        refused != refused_.end() && !refused->second.confirmed) {
      refused_.erase(refused);
    }
    LogDebug("agent gone",
             {{"host", host}, {"session", SessionName(session->token())}, {"why", Message(why)}});
  } else {
    ++counters_.streams_refused[why.code()];
    LogWarn("stream refused",
            {{"host", host}, {"peer", session->peer_address()}, {"why", Message(why)}});
  }
  sessions_.erase(session->id());
  if (was_live) {
    if (probe_listener_ != nullptr) probe_listener_->OnAgentGone(host, why);
    FinishWaiters(host, UINT64_MAX, RefreshEnd::kAgentGone);
  }
  SendReleasedQuestions();
}

void Fleet::Tick() {
  tick_timer_ = loop_->RunAfter(kTick, [this] { Tick(); });
  const MonotonicTime now = loop_->clock()->Now();
  for (const auto& [id, session] : std::map(sessions_)) session->Tick(now);
  std::erase_if(refused_,
                [&](const auto& entry) { return now - entry.second.at > kDuplicateRemembered; });
  SendReleasedQuestions();
}

void Fleet::SendReleasedQuestions() {
  for (auto& [stream, wanted] : pacer_.Release(loop_->clock()->Now())) {
    auto found = sessions_.find(stream);
    if (found == sessions_.end()) continue;
    v1::ConnectResponse message;
    *message.mutable_facts_wanted() = std::move(wanted);
    found->second->Send(std::move(message));
  }
}

Fleet::RefreshId Fleet::Refresh(const std::string& host, std::function<void(RefreshEnd)> done) {
  AgentSession* session = LiveSession(host);
  if (session == nullptr) return 0;
  const RefreshId id = next_refresh_++;
  waiters_[host][id] = {next_request_++, std::move(done)};
  WantFacts(session, hosts_.at(host).generation);
  return id;
}

void Fleet::ForgetRefresh(const std::string& host, RefreshId refresh) {
  auto waiting = waiters_.find(host);
  if (waiting == waiters_.end()) return;
  waiting->second.erase(refresh);
  if (waiting->second.empty()) waiters_.erase(waiting);
}

void Fleet::FinishWaiters(const std::string& host, std::uint64_t up_to_request, RefreshEnd end) {
  auto waiting = waiters_.find(host);
  if (waiting == waiters_.end()) return;
  std::vector<std::function<void(RefreshEnd)>> finished;
  std::erase_if(waiting->second, [&](auto& entry) {
    const bool is_answered = entry.second.request <= up_to_request;
    if (is_answered) finished.push_back(std::move(entry.second.done));
    return is_answered;
  });
  if (waiting->second.empty()) waiters_.erase(waiting);
  // Outside the loop above: a waiter may ask again.
  for (const auto& done : finished) done(end);
}

void Fleet::ConfirmDuplicate(const std::string& host) {
  auto refused = refused_.find(host);
  if (refused == refused_.end() || refused->second.confirmed) return;
  const AgentSession* incumbent = LiveSession(host);
  refused->second.confirmed = incumbent != nullptr && incumbent->last_heard() > refused->second.at;
}

std::optional<DuplicateHost> Fleet::FindDuplicate(std::string_view host) const {
  auto refused = refused_.find(host);
  if (refused == refused_.end() || !refused->second.confirmed) return std::nullopt;
  DuplicateHost duplicate;
  duplicate.host = host;
  if (const HostRecord* record = Find(host)) duplicate.machine_id = record->machine_id;
  if (auto live = live_.find(host); live != live_.end()) {
    duplicate.peer_address = sessions_.at(live->second)->peer_address();
  }
  duplicate.refused_machine_id = refused->second.machine_id;
  duplicate.refused_peer_address = refused->second.peer_address;
  duplicate.last_refused_ago = loop_->clock()->Now() - refused->second.at;
  return duplicate;
}

absl::Status Fleet::SendOrder(const std::string& host, v1::ConnectResponse message) {
  AgentSession* session = LiveSession(host);
  if (session == nullptr) return Unavailable("the agent of {} is not connected", host);
  v1::Order* order = OrderOf(&message);
  if (order == nullptr) return Internal("not an order: {}", message.ShortDebugString());
  order->set_session(session->token());
  order->set_epoch(options_.epoch);
  session->Send(std::move(message));
  return absl::OkStatus();
}

}  // namespace roceready
