// SPDX-License-Identifier: Apache-2.0
// An agent without a host: it speaks the agent's half of the stream to a Fleet in memory, answers
// as a healthy agent would, and misbehaves where a test says so. Runs on the fleet's event loop;
// messages in both directions go through the loop's queue, as they would over a network.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/fleet/fleet.h"
#include "roceready/v1/agent_link.pb.h"
#include "roceready/v1/facts.pb.h"

namespace roceready {

enum class ProbeStep { kPrepare, kConnect, kArm, kRun, kClose, kRelease };

enum class Reaction {
  kAnswer,
  kSilent,  // takes the order and never says a word about it
  kHangUp,  // the stream is lost in that moment
  kRefuse,  // ProbeRefused with what `refusal*` say
  kEnd,     // the session ends by itself: an EndReport instead of the answer
};

class FakeAgent {
 public:
  FakeAgent(EventLoop* loop, Fleet* fleet, std::string host);
  ~FakeAgent();

  // --- what it is; set before Connect ---
  std::string machine_id;
  std::string certified_host;
  std::string instance;
  // What its clock says in Hello; nothing: it does not say.
  std::optional<WallTime> host_time;
  v1::HostFacts facts;
  v1::HostCounters counters;

  // --- how it behaves ---
  bool answers_facts = true;
  bool answers_pings = true;
  // Names a wrong digest in the last chunk of its next facts messages.
  int wrong_digests = 0;
  std::size_t parts_in_a_chunk = 4;
  std::map<ProbeStep, Reaction> reactions;
  v1::RefusalReason refusal = v1::REFUSAL_REASON_BUSY;
  int32_t refusal_error = 0;
  std::string refusal_detail;
  // What ArmPhase is answered with.
  v1::PhaseOutcome arm_outcome = v1::PHASE_OUTCOME_DONE;
  // What a phase brought at one side; the default is a success.
  std::function<v1::PhaseResult(const v1::ProbeSpec&, const v1::ProbePhase&, v1::ProbeSide)>
      measure;

  // What its EndReport says besides the phases.
  v1::EndReport last_words;

  // A new stream and its Hello. `say_hello` false: silent after dialling.
  void Connect(bool say_hello = true);
  // The stream breaks.
  void HangUp();
  // The process ends and starts again: another instance, no memory of probes.
  void Restart();
  void Say(v1::ConnectRequest message);
  // What changed since the last generation the controller accepted, or all.
  void SendFacts(std::uint64_t since_generation, std::uint64_t request);
  void SendHello();

  // --- what happened to it ---
  std::vector<v1::ConnectResponse> inbox;
  std::vector<v1::ConnectResponse> Received(v1::ConnectResponse::BodyCase body) const;
  std::size_t Count(v1::ConnectResponse::BodyCase body) const { return Received(body).size(); }
  bool stream_open() const { return connection_ != nullptr; }
  // Why the controller closed the last stream; OK while it has not.
  absl::Status closed_because;
  // Sessions held now, and the orders that were carried out, each as "probe/attempt/step/phase".
  std::size_t open_probes() const { return probes_.size(); }
  std::vector<std::string> carried_out;
  std::set<std::string> run_twice;  // and what else an agent would not have stood for
  std::uint64_t generation() const { return generation_; }

 private:
  class Connection;
  struct Probe {
    v1::ProbeSpec spec;
    v1::ProbeSide side = v1::PROBE_SIDE_UNSPECIFIED;
    std::vector<v1::PhaseResult> results;
  };

  void Hear(const v1::ConnectResponse& message);
  void Closed(const absl::Status& why);
  void OnFactsWanted(const v1::FactsWanted& wanted);
  void OnOrder(const v1::ConnectResponse& message);
  void CarryOut(const v1::ConnectResponse& message, const v1::Order& order, ProbeStep step,
                std::uint32_t phase);
  void EndProbe(const v1::Order& order, const std::string& why);
  v1::PhaseResult Measure(const Probe& probe, std::uint32_t phase) const;

  EventLoop* loop_;
  Fleet* fleet_;
  std::string host_;
  std::shared_ptr<Connection> connection_;
  StreamId stream_ = 0;
  std::string session_;  // Welcome.session
  std::uint64_t epoch_ = 0;
  std::uint64_t generation_ = 0;
  FactParts sent_;  // of generation_
  std::map<std::string, Probe> probes_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// A host with one active RoCE port on 10.77.0.0/24, as far as planning needs it.
v1::HostFacts FactsOfSmallHost(const std::string& host, int number);

}  // namespace roceready
