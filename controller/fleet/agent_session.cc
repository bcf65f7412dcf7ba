// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/agent_session.h"

#include <openssl/rand.h>

#include <utility>

#include "proto/contract/errors.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

std::string RandomToken() {
  std::string token(16, '\0');
  RAND_bytes(reinterpret_cast<unsigned char*>(token.data()), static_cast<int>(token.size()));
  return token;
}

v1::ConnectResponse GoodbyeBecause(const absl::Status& why) {
  v1::ConnectResponse message;
  message.mutable_goodbye()->set_reason(std::string(Message(why)));
  return message;
}

}  // namespace

AgentSession::AgentSession(StreamId id, std::shared_ptr<AgentConnection> connection,
                           const LinkOptions* options, MonotonicTime now, SessionOwner* owner)
    : id_(id),
      connection_(std::move(connection)),
      options_(options),
      owner_(owner),
      token_(RandomToken()),
      opened_(now),
      last_heard_(now),
      last_ping_(now) {}

void AgentSession::Send(v1::ConnectResponse message) {
  if (!ended_) connection_->Send(std::move(message));
}

void AgentSession::End(const absl::Status& why) {
  if (ended_) return;
  Send(GoodbyeBecause(why));
  ended_ = true;
  connection_->Close(why);
  owner_->Ended(this, why);
}

void AgentSession::StreamLost(const absl::Status& why) {
  if (ended_) return;
  ended_ = true;
  owner_->Ended(this, why);
}

void AgentSession::Tick(MonotonicTime now) {
  if (ended_) return;
  if (record_ == nullptr) {
    if (now - opened_ >= options_->hello_deadline) {
      End(DeadlineExceeded("no Hello within {}", InWords(options_->hello_deadline)));
    }
    return;
  }
  if (now - last_heard_ >= options_->lease) {
    End(DeadlineExceeded("not a word for {}", InWords(now - last_heard_)));
    return;
  }
  if (now - last_ping_ >= options_->ping_interval) {
    last_ping_ = now;
    v1::ConnectResponse message;
    message.mutable_ping()->set_nonce(++pings_);
    message.mutable_ping()->set_epoch(options_->epoch);
    Send(std::move(message));
  }
}

void AgentSession::Receive(v1::ConnectRequest message, MonotonicTime now) {
  if (ended_) return;
  last_heard_ = now;
  if (record_ == nullptr) {
    if (!message.has_hello()) {
      End(InvalidArgument("the first message of a stream must be Hello"));
      return;
    }
    OnHello(message.hello(), now);
    return;
  }
  record_->last_heard = now;
  switch (message.body_case()) {
    case v1::ConnectRequest::kHello:
      End(InvalidArgument("a second Hello on one stream"));
      break;
    case v1::ConnectRequest::kFactsChunk:
      OnFactsChunk(std::move(*message.mutable_facts_chunk()), now);
      break;
    case v1::ConnectRequest::kFactsConfirmed:
      OnFactsConfirmed(message.facts_confirmed(), now);
      break;
    case v1::ConnectRequest::kCounters:
      OnCounters(std::move(*message.mutable_counters()), now);
      break;
    case v1::ConnectRequest::kPong:
      OnPong(message.pong());
      break;
    case v1::ConnectRequest::kEndReport:
      OnEndReport(message);
      break;
    case v1::ConnectRequest::kProbePrepared:
    case v1::ConnectRequest::kProbeRefused:
    case v1::ConnectRequest::kProbeConnected:
    case v1::ConnectRequest::kPhaseDone:
    case v1::ConnectRequest::kNotUnderstood:
      owner_->ProbeMessageCame(this, message);
      break;
    case v1::ConnectRequest::kGoodbye:
      End(Unavailable("the agent said goodbye: {}", message.goodbye().reason()));
      break;
    case v1::ConnectRequest::BODY_NOT_SET:
      OnUnknown();
      break;
  }
}

absl::Status AgentSession::CheckHello(const v1::Hello& hello) const {
  const std::string& host = hello.identity().host();
  if (host.empty()) return InvalidArgument("Hello names no host");
  if (hello.identity().machine_id().empty()) {
    return InvalidArgument(
        "Hello of {} has no machine id: is its /etc/machine-id missing or empty? "
        "(systemd-machine-id-setup makes one)",
        host);
  }
  if (hello.instance().empty()) return InvalidArgument("Hello of {} has no instance", host);
  if (!IsHostName(host)) return InvalidArgument("Hello names '{}', which is no host name", host);
  if (!options_->trust_hello && !connection_->identity().SpeaksFor(host)) {
    return PermissionDenied(
        "the agent says it is '{}', but its certificate is for {}: give it a certificate with the "
        "DNS name '{}', or set its `host` to the certificate's name",
        host, connection_->identity().Describe(), host);
  }
  return absl::OkStatus();
}

void AgentSession::OnHello(const v1::Hello& hello, MonotonicTime now) {
  // Also where it is refused: logs name it.
  host_ = hello.identity().host();
  if (absl::Status sound = CheckHello(hello); !sound.ok()) {
    End(sound);
    return;
  }
  machine_id_ = hello.identity().machine_id();
  absl::StatusOr<HostRecord*> admitted = owner_->Admit(this, hello);
  if (!admitted.ok()) {
    End(admitted.status());
    return;
  }
  record_ = *admitted;
  record_->machine_id = machine_id_;
  record_->agent_version = hello.software_version();
  record_->features.assign(hello.features().begin(), hello.features().end());
  record_->limits = hello.limits();
  record_->connected = true;
  record_->last_heard = now;
  record_->last_words.clear();
  SendWelcome(hello);
}

void AgentSession::SendWelcome(const v1::Hello& hello) {
  // Facts of an earlier start of the agent, or a history that parted from ours: all anew.
  const bool same_history = record_->instance == hello.instance() && record_->generation > 0 &&
                            record_->generation <= hello.facts_generation();
  const std::uint64_t known = same_history ? record_->generation : 0;

  v1::ConnectResponse message;
  v1::Welcome* welcome = message.mutable_welcome();
  welcome->set_protocol_minor(kProtocolMinor);
  welcome->set_software_version(options_->software_version);
  welcome->add_features("facts.delta");
  welcome->set_controller_id(options_->controller_id);
  welcome->set_session(token_);
  welcome->set_epoch(options_->epoch);
  *welcome->mutable_ping_interval() = ToProto(options_->ping_interval);
  *welcome->mutable_lease() = ToProto(options_->lease);
  welcome->set_known_generation(known);
  welcome->set_max_message_bytes(kMaxMessageBytes);
  Send(std::move(message));
  owner_->WantFacts(this, known);
}

void AgentSession::OnFactsChunk(v1::FactsChunk chunk, MonotonicTime now) {
  const std::uint64_t request = chunk.request();
  const std::uint64_t generation = chunk.generation();
  absl::StatusOr<FactsIntake::Step> step = intake_.Add(std::move(chunk), now, record_);
  if (!step.ok()) {
    record_->facts_trouble = fmt::format("its facts cannot be used: {}", Message(step.status()));
    End(step.status());
    return;
  }
  switch (*step) {
    case FactsIntake::Step::kMore:
      return;
    case FactsIntake::Step::kStartOver:
      if (++start_overs_ >= kMaxStartOvers) {
        const absl::Status why =
            DataLoss("{} facts messages in a row did not have the digest they name", start_overs_);
        record_->facts_trouble = fmt::format("its facts cannot be used: {}", Message(why));
        End(why);
        return;
      }
      owner_->WantFactsAnew(this);
      return;
    case FactsIntake::Step::kApplied:
      break;
  }
  start_overs_ = 0;
  v1::ConnectResponse accepted;
  accepted.mutable_facts_accepted()->set_instance(record_->instance);
  accepted.mutable_facts_accepted()->set_generation(generation);
  Send(std::move(accepted));
  owner_->FactsCame(this, request);
}

void AgentSession::OnFactsConfirmed(const v1::FactsConfirmed& confirmed, MonotonicTime now) {
  // Generation 0 is none: what is there then was kept by an earlier start.
  if (confirmed.generation() == 0 || confirmed.generation() != record_->generation) {
    owner_->WantFactsAnew(this);
    return;
  }
  ConfirmFacts(confirmed, now, record_);
  owner_->FactsCame(this, confirmed.request());
}

void AgentSession::OnCounters(v1::CountersReport report, MonotonicTime now) {
  record_->counters_at = now - FromProto(report.age());
  record_->counters =
      std::make_shared<const v1::HostCounters>(std::move(*report.mutable_counters()));
}

void AgentSession::OnPong(const v1::Pong& pong) {
  // While facts are on their way the two ends differ by right.
  if (intake_.open() || record_->generation == 0) return;
  if (pong.facts_generation() == record_->generation &&
      pong.facts_digest() == record_->facts_digest) {
    return;
  }
  const bool behind = pong.facts_generation() > record_->generation;
  owner_->WantFacts(this, behind ? record_->generation : 0);
}

void AgentSession::OnEndReport(const v1::ConnectRequest& message) {
  owner_->ProbeMessageCame(this, message);
  v1::ConnectResponse accepted;
  accepted.mutable_end_report_accepted()->set_probe_id(message.end_report().probe_id());
  accepted.mutable_end_report_accepted()->set_attempt(message.end_report().attempt());
  Send(std::move(accepted));
}

void AgentSession::OnUnknown() {
  if (++not_understood_ > kMaxNotUnderstood) {
    End(InvalidArgument("more than {} messages of an unknown kind", kMaxNotUnderstood));
    return;
  }
  v1::ConnectResponse message;
  message.mutable_not_understood()->set_body("unknown");
  message.mutable_not_understood()->set_detail(fmt::format(
      "this controller ({}) does not know this kind of message", options_->software_version));
  Send(std::move(message));
}

}  // namespace roceready
