// SPDX-License-Identifier: Apache-2.0
#include "agent/link/agent_link.h"

#include <algorithm>
#include <utility>

#include "agent/link/agent_link_stream.h"
#include "proto/contract/errors.h"
#include "proto/contract/ids.h"
#include "proto/process/build_info.h"
#include "proto/process/durations.h"
#include "proto/process/logging.h"

namespace roceready::link {

AgentLink::AgentLink(Surroundings surroundings, Options options)
    : with_(std::move(surroundings)),
      options_(std::move(options)),
      feed_(options_.instance),
      poll_(with_.loop, with_.facts, options_.collect_interval,
            [this](const Collection& collection) { OnCollected(collection); }),
      connected_or_not_since_(with_.loop->clock()->Now()),
      endpoint_(options_.endpoint) {}

AgentLink::~AgentLink() = default;

void AgentLink::Start() {
  poll_.Start();
  Dial();
}

// ---- the stream's life -------------------------------------------------------------------------

void AgentLink::Dial() {
  dial_timer_.reset();
  const uint64_t number = ++stream_number_;
  const auto current = [this, number] { return stream_ != nullptr && number == stream_number_; };
  stream_ = std::make_unique<Stream>();
  stream_->last_heard = with_.loop->clock()->Now();
  stream_->transport = with_.dialer->Dial(
      endpoint_,
      {.on_sent =
           [this, current] {
             if (!current()) return;
             stream_->write_in_flight = false;
             Pump();
           },
       .on_message =
           [this, current](const v1::ConnectResponse& message) {
             if (current()) OnMessage(message);
           },
       .on_closed =
           [this, current](const absl::Status& status) {
             if (!current()) return;
             EndStream(status.ok() ? Unavailable("the controller closed the stream") : status);
           }});
  stream_->write_in_flight = true;
  stream_->transport->Send(HelloMessage());
  WatchSilence(kWelcomeTimeout);
}

v1::ConnectRequest AgentLink::HelloMessage() const {
  v1::ConnectRequest message;
  v1::Hello* hello = message.mutable_hello();
  hello->set_software_version(std::string(SoftwareVersion()));
  hello->add_features("facts.delta");
  hello->add_features("probe.datagrams");
  *hello->mutable_identity() = options_.identity;
  hello->set_instance(options_.instance);
  hello->set_facts_generation(feed_.generation());
  hello->set_facts_digest(feed_.digest());
  hello->set_highest_epoch(with_.epochs->highest());
  for (std::string& probe : with_.probes->OpenProbes()) hello->add_open_probes(std::move(probe));
  *hello->mutable_host_time() = ToProto(with_.loop->clock()->Wall());
  *hello->mutable_limits() = with_.probes->Limits();
  return message;
}

void AgentLink::OnClosed(const absl::Status& status) {
  if (!status.ok()) {
    EndStream(status);
  } else if (stream_->goodbye) {
    EndStream(Unavailable("the controller said goodbye: {}", stream_->goodbye->reason()));
  } else {
    EndStream(Unavailable("the controller closed the stream"));
  }
}

// The stream is over, whoever ended it; the next dial is scheduled.
void AgentLink::EndStream(const absl::Status& why) {
  if (stream_ == nullptr) return;
  const std::unique_ptr<Stream> ended = std::move(stream_);
  if (silence_timer_) with_.loop->Cancel(*std::exchange(silence_timer_, std::nullopt));
  const MonotonicTime now = with_.loop->clock()->Now();
  feed_.EndStream();
  last_error_ = why;
  last_error_endpoint_ = endpoint_;
  endpoint_ = options_.endpoint;
  if (ended->welcomed) {
    with_.probes->EndAll(Message(why));
    connected_or_not_since_ = now;
    failed_dials_ = 0;
    if (now - ended->welcomed_at >= ended->lease) backoff_.Reset();
  } else {
    ++failed_dials_;
  }
  if (shutdown_done_) {
    FinishShutdown();
    return;
  }
  DialLater(std::max(backoff_.Next(with_.random()), RetryAfter(ended->goodbye)));
  // Each failed attempt after the first is the same news again.
  const LogLevel level = failed_dials_ > 1 ? LogLevel::kDebug : LogLevel::kWarn;
  Log(level, ended->welcomed ? "connection to the controller lost" : "cannot reach the controller",
      {{"endpoint", last_error_endpoint_},
       {"error", Message(why)},
       {"advice", AdviceFor(why, last_error_endpoint_)},
       {"next_attempt", ShortDuration(next_dial_ - now)}});
  Changed();
}

void AgentLink::DialLater(Duration wait) {
  if (dial_timer_) with_.loop->Cancel(*dial_timer_);
  next_dial_ = with_.loop->clock()->Now() + wait;
  dial_timer_ = with_.loop->RunAt(next_dial_, [this] { Dial(); });
}

void AgentLink::WatchSilence(Duration limit) {
  if (silence_timer_) with_.loop->Cancel(*silence_timer_);
  silence_timer_ =
      with_.loop->RunAt(stream_->last_heard + limit, [this, limit] { CheckSilence(limit); });
}

void AgentLink::CheckSilence(Duration limit) {
  silence_timer_.reset();
  if (stream_ == nullptr) return;
  if (with_.loop->clock()->Now() - stream_->last_heard < limit) {
    WatchSilence(limit);
    return;
  }
  EndStream(DeadlineExceeded("no {} from the controller for {}",
                             stream_->welcomed ? "word" : "Welcome", ShortDuration(limit)));
}

// ---- sending -----------------------------------------------------------------------------------

void AgentLink::Pump() {
  if (stream_ == nullptr || !stream_->welcomed) return;
  if (stream_->write_in_flight || stream_->finished) return;
  const std::optional<v1::ConnectRequest> message = NextMessage();
  if (!message) return;
  stream_->write_in_flight = true;
  stream_->transport->Send(*message);
}

std::optional<v1::ConnectRequest> AgentLink::NextMessage() {
  const MonotonicTime now = with_.loop->clock()->Now();
  if (std::optional<v1::ConnectRequest> urgent = stream_->outbox.NextUrgent()) {
    if (urgent->has_pong()) {
      const FactsFeed::Written written = feed_.LastWritten();
      v1::Pong* pong = urgent->mutable_pong();
      pong->set_facts_generation(written.generation);
      pong->set_facts_digest(written.digest);
      if (feed_.has_facts()) {
        *pong->mutable_since_full_collection() = ToProto(now - feed_.collected_at());
      }
    }
    return urgent;
  }
  // Counters first: the facts that answer a question are the last word of their collection, so who
  // has heard them knows its counters too.
  if (std::optional<v1::ConnectRequest> counters = stream_->outbox.NextCounters()) return counters;
  return feed_.Next(now);
}

void AgentLink::AddAnswer(v1::ConnectRequest answer) {
  if (!stream_->outbox.AddAnswer(std::move(answer))) {
    EndStream(MakeError(absl::StatusCode::kResourceExhausted,
                        "the controller does not read: too many answers wait"));
    return;
  }
  Pump();
}

void AgentLink::ProbeAnswered(v1::ConnectRequest answer) {
  with_.loop->PostControl([this, alive = std::weak_ptr(alive_), answer = std::move(answer)] {
    // Without a stream there is nobody to answer; EndReports are kept by the executor.
    if (alive.expired() || stream_ == nullptr || !stream_->welcomed) return;
    AddAnswer(answer);
  });
}

// ---- receiving ---------------------------------------------------------------------------------

void AgentLink::OnMessage(const v1::ConnectResponse& message) {
  stream_->last_heard = with_.loop->clock()->Now();
  using Body = v1::ConnectResponse::BodyCase;
  const Body body = message.body_case();
  const bool may_come_first =
      body == Body::kWelcome || body == Body::kGoodbye || body == Body::kNotUnderstood;
  if (!stream_->welcomed && !may_come_first) {
    EndStream(Internal("the controller sent message {} before Welcome", static_cast<int>(body)));
    return;
  }
  switch (body) {
    case Body::kWelcome:
      OnWelcome(message.welcome());
      break;
    case Body::kFactsWanted:
      OnFactsWanted(message.facts_wanted());
      break;
    case Body::kFactsAccepted:
      feed_.Accepted(message.facts_accepted());
      Pump();
      break;
    case Body::kPrepareProbe:
    case Body::kConnectProbe:
    case Body::kArmPhase:
    case Body::kRunPhase:
    case Body::kClosePhase:
    case Body::kReleaseProbe:
      OnOrder(message);
      break;
    case Body::kEndReportAccepted:
      with_.probes->Accepted(message.end_report_accepted());
      break;
    case Body::kPing:
      OnPing(message.ping());
      break;
    case Body::kGoodbye:
      OnGoodbye(message.goodbye());
      break;
    case Body::kNotUnderstood:
      LogWarn("the controller did not understand a message",
              {{"body", message.not_understood().body()},
               {"detail", message.not_understood().detail()}});
      break;
    case Body::BODY_NOT_SET:
      AnswerNotUnderstood(message);
      break;
  }
}

void AgentLink::OnWelcome(const v1::Welcome& welcome) {
  if (stream_->welcomed) {
    EndStream(Internal("the controller sent a second Welcome"));
    return;
  }
  const uint64_t highest = with_.epochs->highest();
  if (welcome.epoch() < highest) {
    EndStream(
        FailedPrecondition("the controller's epoch {} is lower than {}, which this host has seen: "
                           "it has been replaced",
                           welcome.epoch(), highest));
    return;
  }
  stream_->takes_orders = SaveEpoch(welcome.epoch());
  stream_->welcomed = true;
  stream_->welcomed_at = stream_->last_heard;
  stream_->epoch = welcome.epoch();
  stream_->controller_version = welcome.software_version();
  stream_->session = SessionName(welcome.session());
  stream_->lease = welcome.has_lease()
                       ? std::clamp(FromProto(welcome.lease()), kShortestLease, kLongestLease)
                       : kDefaultLease;
  redirects_ = 0;
  failed_dials_ = 0;
  connected_or_not_since_ = stream_->welcomed_at;
  WatchSilence(stream_->lease);
  feed_.BeginStream(welcome.max_message_bytes());
  with_.probes->BeginSession(welcome.epoch(), welcome.session());
  LogInfo("connected to the controller", {{"endpoint", endpoint_},
                                          {"version", welcome.software_version()},
                                          {"epoch", welcome.epoch()},
                                          {"session", stream_->session}});
  for (v1::EndReport& report : with_.probes->UnacceptedReports()) {
    v1::ConnectRequest answer;
    *answer.mutable_end_report() = std::move(report);
    AddAnswer(std::move(answer));
    if (stream_ == nullptr) return;
  }
  Changed();
}

// Whether orders of this epoch may be taken.
bool AgentLink::SaveEpoch(uint64_t epoch) {
  if (epoch == with_.epochs->highest()) return true;
  const absl::Status saved = with_.epochs->Raise(epoch);
  if (saved.ok()) return true;
  LogError(
      "cannot save the controller's epoch: no probe orders are taken",
      {{"error", Message(saved)}, {"advice", "free space in, or give access to, the directory"}});
  return false;
}

void AgentLink::OnFactsWanted(const v1::FactsWanted& wanted) {
  if (!wanted.collect_now() && !wanted.with_raw_counters()) {
    feed_.Want(wanted.since_generation(), wanted.request());
    Pump();
    return;
  }
  poll_.CollectFresh(wanted.with_raw_counters(), [this, number = stream_number_, wanted] {
    // Facts that could not be used are not "read since you asked": no answer is the true one.
    if (stream_ == nullptr || number != stream_number_ || !facts_error_.empty()) return;
    feed_.Want(wanted.since_generation(), wanted.request());
    Pump();
  });
}

void AgentLink::OnOrder(const v1::ConnectResponse& order) {
  if (stream_->takes_orders) {
    with_.probes->Execute(order);
    return;
  }
  if (!order.has_prepare_probe()) return;  // of no probe that was ever prepared here
  v1::ConnectRequest answer;
  v1::ProbeRefused* refused = answer.mutable_probe_refused();
  refused->set_probe_id(order.prepare_probe().order().probe_id());
  refused->set_attempt(order.prepare_probe().order().attempt());
  refused->set_reason(v1::REFUSAL_REASON_RESOURCES);
  refused->set_step("prepare");
  refused->set_detail("the agent cannot save the controller's epoch in its state directory");
  AddAnswer(std::move(answer));
}

void AgentLink::OnPing(const v1::Ping& ping) {
  if (ping.epoch() != stream_->epoch) {
    EndStream(FailedPrecondition("the controller's epoch changed from {} to {} within a stream",
                                 stream_->epoch, ping.epoch()));
    return;
  }
  v1::Pong pong;
  pong.set_nonce(ping.nonce());
  stream_->outbox.SetPong(std::move(pong));
  Pump();
}

void AgentLink::OnGoodbye(const v1::Goodbye& goodbye) {
  if (goodbye.other_endpoint().empty() || redirects_ >= kMaxRedirects) {
    redirects_ = 0;
    stream_->goodbye = goodbye;
    with_.loop->RunAfter(kCloseWithin, [this, number = stream_number_] {
      if (stream_ != nullptr && number == stream_number_) OnClosed(absl::OkStatus());
    });
    return;
  }
  ++redirects_;
  EndStream(Unavailable("the controller said goodbye: {}", goodbye.reason()));
  if (shutdown_done_) return;
  endpoint_ = goodbye.other_endpoint();
  DialLater(Duration(0));
}

// Spread over half as long again, so that those sent away do not come back as one.
Duration AgentLink::RetryAfter(const std::optional<v1::Goodbye>& goodbye) const {
  if (!goodbye || !goodbye->has_retry_after()) return Duration(0);
  const Duration wait =
      std::clamp<Duration>(FromProto(goodbye->retry_after()), Duration(0), kLongestRetryAfter);
  return wait +
         Duration(static_cast<int64_t>(static_cast<double>(wait.count()) / 2 * with_.random()));
}

void AgentLink::AnswerNotUnderstood(const v1::ConnectResponse& message) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  const int field = unknown.field_count() > 0 ? unknown.field(0).number() : 0;
  LogWarn("message of the controller not understood", {{"field", field}});
  v1::ConnectRequest answer;
  answer.mutable_not_understood()->set_body(fmt::format("field {}", field));
  answer.mutable_not_understood()->set_detail(
      fmt::format("agent {} does not know this message", SoftwareVersion()));
  AddAnswer(std::move(answer));
}

// ---- facts -------------------------------------------------------------------------------------

void AgentLink::FactsMayHaveChanged(const watch::Changes& changes) {
  // A full queue means that much happens: the periodic collection follows.
  (void)with_.loop->Post([this, changes, alive = std::weak_ptr(alive_)] {
    if (!alive.expired() && !shutdown_done_) poll_.KernelEvent(changes);
  });
}

void AgentLink::OnCollected(const Collection& collection) {
  const absl::StatusOr<bool> changed = feed_.Update(collection);
  facts_error_ = changed.ok() ? "" : std::string(Message(changed.status()));
  if (!changed.ok()) LogError("collected facts cannot be used", {{"error", facts_error_}});
  if (stream_ != nullptr && feed_.wanted()) {
    if (!collection.partial) {
      v1::CountersReport report;
      *report.mutable_counters() = collection.counters;
      *report.mutable_age() = ToProto(with_.loop->clock()->Now() - collection.began);
      stream_->outbox.SetCounters(std::move(report));
    }
    // After those who waited for this collection have said what they want: one transfer serves all.
    with_.loop->PostControl([this, alive = std::weak_ptr(alive_)] {
      if (!alive.expired()) Pump();
    });
  }
  Changed();
}

}  // namespace roceready::link
