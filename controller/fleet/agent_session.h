// SPDX-License-Identifier: Apache-2.0
// The controller's end of one agent's stream, as a state machine:
//
//   waiting for Hello --Hello admitted--> live --silence, error, Goodbye, replaced--> closed
//
// It knows the protocol of one stream and nothing of other streams; what concerns the whole fleet
// (who may speak for a host, whose turn it is to send facts) it asks its owner. Runs on the event
// loop; time comes in from outside.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "controller/fleet/agent_connection.h"
#include "controller/fleet/facts_intake.h"
#include "controller/fleet/facts_pacer.h"

namespace roceready {

struct LinkOptions {
  std::string controller_id;
  std::string software_version;
  std::uint64_t epoch = 0;
  Duration ping_interval = std::chrono::seconds(5);
  // Silence this long: the other end is gone.
  Duration lease = std::chrono::seconds(20);
  Duration hello_deadline = std::chrono::seconds(10);
  // Agents that send facts at the same time.
  std::size_t facts_at_once = 32;
  Duration facts_patience = std::chrono::seconds(3);
  // Plain text on loopback, for tests: no certificate to hold a name against.
  bool trust_hello = false;
};

inline constexpr std::uint32_t kProtocolMinor = 1;
inline constexpr std::uint32_t kMaxMessageBytes = 1u << 20;

class AgentSession;

// The owner's half.
class SessionOwner {
 public:
  virtual ~SessionOwner() = default;

  // May this stream speak for the host of its Hello? The record to keep its facts in, or why not.
  virtual absl::StatusOr<HostRecord*> Admit(AgentSession* session, const v1::Hello& hello) = 0;
  virtual void WantFacts(AgentSession* session, std::uint64_t since_generation) = 0;
  // An answer came that cannot be applied: everything is wanted again.
  virtual void WantFactsAnew(AgentSession* session) = 0;
  // A facts message with this request number (0: a push) is applied or confirmed.
  virtual void FactsCame(AgentSession* session, std::uint64_t request) = 0;
  virtual void ProbeMessageCame(AgentSession* session, const v1::ConnectRequest& message) = 0;
  // Called once, after a session that had been admitted or not is over.
  virtual void Ended(AgentSession* session, const absl::Status& why) = 0;
};

class AgentSession {
 public:
  AgentSession(StreamId id, std::shared_ptr<AgentConnection> connection, const LinkOptions* options,
               MonotonicTime now, SessionOwner* owner);

  StreamId id() const { return id_; }
  // Empty before Hello.
  const std::string& host() const { return host_; }
  const std::string& machine_id() const { return machine_id_; }
  const std::string& token() const { return token_; }  // Welcome.session
  const std::string& peer_address() const { return connection_->peer_address(); }
  MonotonicTime last_heard() const { return last_heard_; }

  void Receive(v1::ConnectRequest message, MonotonicTime now);
  // Pings, and ends the session where Hello or any word is overdue.
  void Tick(MonotonicTime now);
  void Send(v1::ConnectResponse message);
  // Says why, closes the stream and tells the owner. Later calls do nothing.
  void End(const absl::Status& why);
  // The stream is gone already.
  void StreamLost(const absl::Status& why);

 private:
  // So many words of an unknown kind are an attack, not a newer agent.
  static constexpr int kMaxNotUnderstood = 100;
  // So many facts messages in a row that do not add up: the agent should start afresh.
  static constexpr int kMaxStartOvers = 3;

  void OnHello(const v1::Hello& hello, MonotonicTime now);
  absl::Status CheckHello(const v1::Hello& hello) const;
  void SendWelcome(const v1::Hello& hello);
  void OnFactsChunk(v1::FactsChunk chunk, MonotonicTime now);
  void OnFactsConfirmed(const v1::FactsConfirmed& confirmed, MonotonicTime now);
  void OnCounters(v1::CountersReport report, MonotonicTime now);
  void OnPong(const v1::Pong& pong);
  void OnEndReport(const v1::ConnectRequest& message);
  void OnUnknown();

  StreamId id_;
  std::shared_ptr<AgentConnection> connection_;
  const LinkOptions* options_;
  SessionOwner* owner_;

  std::string host_;
  std::string machine_id_;
  std::string token_;
  HostRecord* record_ = nullptr;  // set by Admit, never null once live
  FactsIntake intake_;
  bool ended_ = false;
  MonotonicTime opened_;
  MonotonicTime last_heard_;
  MonotonicTime last_ping_;
  std::uint64_t pings_ = 0;
  int not_understood_ = 0;
  int start_overs_ = 0;
};

}  // namespace roceready
