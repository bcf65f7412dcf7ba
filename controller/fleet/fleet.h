// SPDX-License-Identifier: Apache-2.0
// All agents of one controller: who is connected, what each host's facts are, fresh facts on
// request, and the way for probe orders and their answers. Everything here runs on the event loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/fleet/agent_session.h"
#include "controller/fleet/maintenance_book.h"
#include "proto/process/event_loop.h"

namespace roceready {

// Two machines that claim the same name: one is connected, the other was refused.
struct DuplicateHost {
  std::string host;
  std::string machine_id;  // of the one that is connected
  std::string peer_address;
  std::string refused_machine_id;
  std::string refused_peer_address;
  Duration last_refused_ago{};
};

// Since the start, for who watches.
struct FleetCounters {
  std::uint64_t streams_admitted = 0;
  // Streams that ended before they spoke for a host, by why.
  std::map<absl::StatusCode, std::uint64_t> streams_refused;
};

// Where the answers to probe orders go.
class ProbeListener {
 public:
  virtual ~ProbeListener() = default;
  virtual void OnProbeMessage(const std::string& host, const v1::ConnectRequest& message) = 0;
  // The stream that carried this host's orders is over: its agent has ended its probes, or will.
  virtual void OnAgentGone(const std::string& host, const absl::Status& why) = 0;
  // Another start of this host's agent speaks now: the process before it is over, with all its
  // sessions.
  virtual void OnAgentStarted(const std::string& host) = 0;
};

class Fleet final : public SessionOwner {
 public:
  using RefreshId = std::uint64_t;
  enum class RefreshEnd { kFresh, kAgentGone };

  Fleet(EventLoop* loop, LinkOptions options);
  ~Fleet() override;

  // Facts that an earlier start of this controller has kept, read so long ago; before the first
  // stream. kInvalidArgument: they cannot be cut into parts.
  absl::Status TakeUp(const std::string& host, const v1::HostFacts& facts, Duration age);
  // Whether there were any: then the hosts of before are known.
  bool took_up() const { return took_up_; }

  // --- the streams ---
  StreamId Accept(std::shared_ptr<AgentConnection> connection);
  void Receive(StreamId stream, v1::ConnectRequest message);
  void Lost(StreamId stream, const absl::Status& why);
  // Says goodbye to every agent.
  void EndAll(const absl::Status& why);

  // --- the hosts ---
  const LinkOptions& options() const { return options_; }
  const std::map<std::string, HostRecord, std::less<>>& hosts() const { return hosts_; }
  const HostRecord* Find(std::string_view host) const;
  // Its row as people see it, whether it has been heard of or not.
  v1::Host Describe(const std::string& host) const;
  // As of now.
  bool IsInMaintenance(std::string_view host) const;
  const FleetCounters& counters() const { return counters_; }
  std::optional<DuplicateHost> FindDuplicate(std::string_view host) const;

  // Has the host collect now; `done` runs once, when facts read after this call are in, or the
  // stream is over. Nothing is started (and `done` not kept) when the host is not connected: 0.
  // The caller keeps its own deadline and then calls ForgetRefresh.
  RefreshId Refresh(const std::string& host, std::function<void(RefreshEnd)> done);
  void ForgetRefresh(const std::string& host, RefreshId refresh);

  // Those that are set aside.
  MaintenanceBook& maintenance() { return maintenance_; }
  const MaintenanceBook& maintenance() const { return maintenance_; }

  // --- probe orders ---
  void SetProbeListener(ProbeListener* listener) { probe_listener_ = listener; }
  // Session and epoch are filled in here. kUnavailable when the host is not connected.
  absl::Status SendOrder(const std::string& host, v1::ConnectResponse order);

 private:
  struct Refused {
    std::string machine_id;
    std::string peer_address;
    MonotonicTime at;
    // The one that is connected has spoken since: it is alive, so there are two.
    bool confirmed = false;
  };
  struct Waiter {
    std::uint64_t request;
    std::function<void(RefreshEnd)> done;
  };

  absl::StatusOr<HostRecord*> Admit(AgentSession* session, const v1::Hello& hello) override;
  void WantFacts(AgentSession* session, std::uint64_t since_generation) override;
  void WantFactsAnew(AgentSession* session) override;
  void FactsCame(AgentSession* session, std::uint64_t request) override;
  void ProbeMessageCame(AgentSession* session, const v1::ConnectRequest& message) override;
  void Ended(AgentSession* session, const absl::Status& why) override;

  void Tick();
  void SendReleasedQuestions();
  void FinishWaiters(const std::string& host, std::uint64_t up_to_request, RefreshEnd end);
  AgentSession* LiveSession(std::string_view host);
  void ConfirmDuplicate(const std::string& host);

  EventLoop* loop_;
  LinkOptions options_;
  ProbeListener* probe_listener_ = nullptr;
  StreamId next_stream_ = 1;
  std::uint64_t next_request_ = 1;
  RefreshId next_refresh_ = 1;
  EventLoop::TimerId tick_timer_ = 0;
  bool took_up_ = false;

  std::map<StreamId, std::shared_ptr<AgentSession>> sessions_;
  std::map<std::string, StreamId, std::less<>> live_;  // by host
  std::map<std::string, HostRecord, std::less<>> hosts_;
  MaintenanceBook maintenance_;
  std::map<std::string, Refused, std::less<>> refused_;  // by host
  // By host: thousands wait at a time, and each answer is for one host.
  std::map<std::string, std::map<RefreshId, Waiter>, std::less<>> waiters_;
  FactsPacer pacer_;
  FleetCounters counters_;
};

}  // namespace roceready
