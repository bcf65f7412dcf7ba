// SPDX-License-Identifier: Apache-2.0
// How the link ends, and how it stands.
#include <algorithm>
#include <utility>

#include "agent/link/agent_link.h"
#include "agent/link/agent_link_stream.h"
#include "proto/contract/errors.h"

namespace roceready::link {
namespace {

constexpr Duration kShutdownPoll = std::chrono::milliseconds(50);

}  // namespace

void AgentLink::Shutdown(std::function<void()> done) {
  if (shutdown_done_) return;
  shutdown_done_ = std::move(done);
  if (dial_timer_) with_.loop->Cancel(*std::exchange(dial_timer_, std::nullopt));
  with_.probes->EndAll("the agent stops");
  FinishWhenProbesEnded(with_.loop->clock()->Now() + kProbesEndWithin, /*was_idle=*/false);
}

// Idle twice in a row: the last report may be on its way from the executor when its session is
// gone.
void AgentLink::FinishWhenProbesEnded(MonotonicTime deadline, bool was_idle) {
  const bool connected = stream_ != nullptr && stream_->welcomed;
  const bool idle = with_.probes->LiveSessions() == 0 && !(connected && stream_->write_in_flight);
  if (!(idle && was_idle) && with_.loop->clock()->Now() < deadline) {
    with_.loop->RunAfter(kShutdownPoll,
                         [this, deadline, idle] { FinishWhenProbesEnded(deadline, idle); });
    return;
  }
  if (!connected || stream_->write_in_flight) {
    FinishShutdown();
    return;
  }
  v1::ConnectRequest goodbye;
  goodbye.mutable_goodbye()->set_reason("the agent stops");
  stream_->write_in_flight = true;
  stream_->finished = true;
  stream_->transport->Send(goodbye);
  stream_->transport->Finish();
  with_.loop->RunAfter(kCloseWithin, [this] { FinishShutdown(); });
}

void AgentLink::FinishShutdown() {
  stream_.reset();
  const auto done = std::exchange(shutdown_done_, [] {});
  done();
}

LinkStatus AgentLink::Status() const {
  const MonotonicTime now = with_.loop->clock()->Now();
  LinkStatus status;
  status.connected = stream_ != nullptr && stream_->welcomed;
  status.host = options_.identity.host();
  status.endpoint = endpoint_;
  status.since = now - connected_or_not_since_;
  if (status.connected) {
    status.epoch = stream_->epoch;
    status.controller_version = stream_->controller_version;
    status.session = stream_->session;
  } else if (!last_error_.ok()) {
    status.last_error = std::string(Message(last_error_));
    status.advice = AdviceFor(last_error_, last_error_endpoint_);
    status.next_dial_in = std::max(next_dial_ - now, Duration(0));
    status.failed_dials = failed_dials_;
  }
  status.facts_generation = feed_.generation();
  if (feed_.has_facts()) status.facts_age = now - feed_.collected_at();
  status.facts_error = facts_error_;
  status.open_probes = with_.probes->OpenProbes().size();
  return status;
}

void AgentLink::Changed() {
  if (with_.on_change) with_.on_change();
}

}  // namespace roceready::link
