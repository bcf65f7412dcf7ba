// SPDX-License-Identifier: Apache-2.0
// The agent's end of the stream: dial, Hello, Welcome, facts when they are wanted and when they
// change, probe orders to the executor and answers back, and all over again whenever the stream
// ends, for as long as the agent runs.
//
//   waiting --timer--> dialing --Welcome--> connected
//      ^---- closed, silent, lower epoch, Goodbye ----'
//
// * No word for the lease, or a closed stream: all probes end; the next dial comes after a jittered
//   wait (backoff.h). The waits start over once a connection has lasted for a lease.
// * An epoch lower than the highest seen ends the stream; a higher one is made durable before any
//   order is taken.
// * EndReports that were not accepted are named in Hello and sent again after Welcome.
//
// Threading: everything on the event loop, except where a call says "any thread".
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/link/backoff.h"
#include "agent/link/epoch_file.h"
#include "agent/link/facts_feed.h"
#include "agent/link/facts_poll.h"
#include "agent/link/link_status.h"
#include "agent/link/outbox.h"
#include "agent/link/probe_runner.h"
#include "agent/link/transport.h"
#include "proto/process/event_loop.h"
#include "roceready/v1/agent_link.pb.h"

namespace roceready::link {

class AgentLink {
 public:
  struct Options {
    // "host:port".
    std::string endpoint;
    v1::HostIdentity identity;
    // Random for each start of the agent.
    std::string instance;
    Duration collect_interval = std::chrono::seconds(60);
  };
  // Everything outlives the link, and the loop has stopped when the link is destroyed.
  struct Surroundings {
    EventLoop* loop;
    Dialer* dialer;
    FactsSource* facts;
    ProbeRunner* probes;
    EpochStore* epochs;
    // In [0, 1).
    std::function<double()> random;
    // The status changed, or a collection ended; may be empty.
    std::function<void()> on_change;
  };

  // From dial to Welcome, TLS and all.
  static constexpr Duration kWelcomeTimeout = std::chrono::seconds(10);
  // Bounds of what a controller may set.
  static constexpr Duration kShortestLease = std::chrono::seconds(2);
  static constexpr Duration kLongestLease = std::chrono::minutes(5);
  static constexpr Duration kDefaultLease = std::chrono::seconds(20);
  static constexpr Duration kLongestRetryAfter = std::chrono::minutes(10);
  // Goodbyes followed in a row; more is two controllers that point at each other.
  static constexpr int kMaxRedirects = 3;
  // Of Shutdown: for the probes to end and their reports to leave.
  static constexpr Duration kProbesEndWithin = std::chrono::seconds(5);
  // For a stream to close after the Goodbye of either end.
  static constexpr Duration kCloseWithin = std::chrono::seconds(1);

  AgentLink(Surroundings surroundings, Options options);
  ~AgentLink();
  AgentLink(const AgentLink&) = delete;
  AgentLink& operator=(const AgentLink&) = delete;

  void Start();
  // Ends probes, says Goodbye, closes; then calls `done`, once.
  void Shutdown(std::function<void()> done);

  LinkStatus Status() const;
  bool has_facts() const { return feed_.has_facts(); }

  // Any thread. An answer of the probe executor.
  void ProbeAnswered(v1::ConnectRequest answer);
  // Any thread. Kernel events.
  void FactsMayHaveChanged(const watch::Changes& changes = watch::Changes::Everything());

 private:
  struct Stream;

  void Dial();
  void OnClosed(const absl::Status& status);
  void EndStream(const absl::Status& why);
  void DialLater(Duration wait);
  void Pump();
  std::optional<v1::ConnectRequest> NextMessage();
  void AddAnswer(v1::ConnectRequest answer);

  void OnMessage(const v1::ConnectResponse& message);
  void OnWelcome(const v1::Welcome& welcome);
  void OnFactsWanted(const v1::FactsWanted& wanted);
  void OnOrder(const v1::ConnectResponse& order);
  void OnPing(const v1::Ping& ping);
  void OnGoodbye(const v1::Goodbye& goodbye);
  Duration RetryAfter(const std::optional<v1::Goodbye>& goodbye) const;
  void AnswerNotUnderstood(const v1::ConnectResponse& message);
  void OnCollected(const Collection& collection);
  bool SaveEpoch(uint64_t epoch);

  void WatchSilence(Duration limit);
  void CheckSilence(Duration limit);
  void FinishWhenProbesEnded(MonotonicTime deadline, bool was_idle);
  void FinishShutdown();
  v1::ConnectRequest HelloMessage() const;
  void Changed();

  const Surroundings with_;
  const Options options_;
  FactsFeed feed_;
  FactsPoll poll_;
  Backoff backoff_;

  std::unique_ptr<Stream> stream_;
  // Of the stream now or last; callbacks of older ones are ignored.
  uint64_t stream_number_ = 0;
  std::optional<EventLoop::TimerId> dial_timer_;
  std::optional<EventLoop::TimerId> silence_timer_;
  MonotonicTime next_dial_{};
  MonotonicTime connected_or_not_since_;
  std::string endpoint_;  // to dial next: the configured one, or where a Goodbye pointed
  int redirects_ = 0;
  uint64_t failed_dials_ = 0;
  absl::Status last_error_;
  std::string last_error_endpoint_;
  std::string facts_error_;
  std::function<void()> shutdown_done_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace roceready::link
