// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_agent.h"

#include <utility>

#include "proto/contract/errors.h"
#include "proto/process/durations.h"

namespace roceready {

class FakeAgent::Connection final : public AgentConnection,
                                    public std::enable_shared_from_this<Connection> {
 public:
  Connection(EventLoop* loop, FakeAgent* agent)
      : loop_(loop),
        agent_(agent),
        alive_(agent->alive_),
        identity_(IdentityOfNames({agent->certified_host}, {})) {}

  const PeerIdentity& identity() const override { return identity_; }
  const std::string& peer_address() const override { return address_; }

  void Send(v1::ConnectResponse message) override {
    Deliver([this, message = std::move(message)] { agent_->Hear(message); });
  }
  void Close(const absl::Status& why) override {
    Deliver([this, why] { agent_->Closed(why); });
  }

 private:
  // Nothing reaches an agent from a stream that it no longer holds.
  void Deliver(std::function<void()> task) {
    loop_->PostControl([self = shared_from_this(), alive = alive_, task = std::move(task)] {
      if (*alive && self->agent_->connection_ == self) task();
    });
  }

  EventLoop* loop_;
  FakeAgent* agent_;
  std::shared_ptr<bool> alive_;
  PeerIdentity identity_;
  std::string address_ = "in memory";
};

FakeAgent::FakeAgent(EventLoop* loop, Fleet* fleet, std::string host)
    : machine_id("machine of " + host),
      certified_host(host),
      instance("first start of " + host),
      loop_(loop),
      fleet_(fleet),
      host_(std::move(host)) {
  facts.mutable_identity()->set_host(host_);
}

FakeAgent::~FakeAgent() { *alive_ = false; }

void FakeAgent::Connect(bool say_hello) {
  connection_ = std::make_shared<Connection>(loop_, this);
  closed_because = absl::OkStatus();
  stream_ = fleet_->Accept(connection_);
  if (say_hello) SendHello();
}

void FakeAgent::SendHello() {
  v1::ConnectRequest message;
  v1::Hello* hello = message.mutable_hello();
  hello->set_protocol_minor(1);
  hello->set_software_version("0.1.0-fake");
  hello->mutable_identity()->set_host(host_);
  hello->mutable_identity()->set_machine_id(machine_id);
  hello->set_instance(instance);
  if (host_time) *hello->mutable_host_time() = ToProto(*host_time);
  hello->set_facts_generation(generation_);
  hello->set_facts_digest(DigestOfParts(sent_));
  Say(std::move(message));
}

void FakeAgent::HangUp() {
  if (connection_ == nullptr) return;
  connection_.reset();
  probes_.clear();
  loop_->PostControl([this, alive = alive_, stream = stream_] {
    if (*alive) fleet_->Lost(stream, Unavailable("connection reset by peer"));
  });
}

void FakeAgent::Restart() {
  HangUp();
  instance += ", started again";
  generation_ = 0;
  sent_.clear();
}

void FakeAgent::Say(v1::ConnectRequest message) {
  if (connection_ == nullptr) return;
  loop_->PostControl([this, alive = alive_, stream = stream_, message = std::move(message)] {
    if (*alive) fleet_->Receive(stream, message);
  });
}

std::vector<v1::ConnectResponse> FakeAgent::Received(v1::ConnectResponse::BodyCase body) const {
  std::vector<v1::ConnectResponse> found;
  for (const v1::ConnectResponse& message : inbox) {
    if (message.body_case() == body) found.push_back(message);
  }
  return found;
}

void FakeAgent::Closed(const absl::Status& why) {
  closed_because = why;
  connection_.reset();
  probes_.clear();
}

void FakeAgent::Hear(const v1::ConnectResponse& message) {
  inbox.push_back(message);
  switch (message.body_case()) {
    case v1::ConnectResponse::kWelcome:
      session_ = message.welcome().session();
      epoch_ = message.welcome().epoch();
      break;
    case v1::ConnectResponse::kFactsWanted:
      if (answers_facts) OnFactsWanted(message.facts_wanted());
      break;
    case v1::ConnectResponse::kPing:
      if (answers_pings) {
        v1::ConnectRequest pong;
        pong.mutable_pong()->set_nonce(message.ping().nonce());
        pong.mutable_pong()->set_facts_generation(generation_);
        pong.mutable_pong()->set_facts_digest(DigestOfParts(sent_));
        Say(std::move(pong));
      }
      break;
    case v1::ConnectResponse::kPrepareProbe:
    case v1::ConnectResponse::kConnectProbe:
    case v1::ConnectResponse::kArmPhase:
    case v1::ConnectResponse::kRunPhase:
    case v1::ConnectResponse::kClosePhase:
    case v1::ConnectResponse::kReleaseProbe:
      OnOrder(message);
      break;
    default:
      break;
  }
}

void FakeAgent::OnFactsWanted(const v1::FactsWanted& wanted) {
  if (wanted.collect_now() && counters.ports_size() > 0) {
    v1::ConnectRequest message;
    *message.mutable_counters()->mutable_counters() = counters;
    Say(std::move(message));
  }
  const FactParts now = SplitFacts(facts).value();
  if (now == sent_ && wanted.since_generation() == generation_ && generation_ > 0) {
    v1::ConnectRequest message;
    message.mutable_facts_confirmed()->set_generation(generation_);
    message.mutable_facts_confirmed()->set_request(wanted.request());
    Say(std::move(message));
    return;
  }
  SendFacts(wanted.since_generation(), wanted.request());
}

void FakeAgent::SendFacts(std::uint64_t since_generation, std::uint64_t request) {
  const FactParts now = SplitFacts(facts).value();
  const bool delta = since_generation != 0 && since_generation == generation_;
  const PartChanges changes = CompareParts(delta ? sent_ : FactParts(), now);
  const std::uint64_t base = delta ? generation_ : 0;
  ++generation_;
  sent_ = now;

  v1::ConnectRequest message;
  auto begin_chunk = [&] {
    message.Clear();
    v1::FactsChunk* chunk = message.mutable_facts_chunk();
    chunk->set_instance(instance);
    chunk->set_generation(generation_);
    chunk->set_since_generation(base);
    chunk->set_request(request);
  };
  begin_chunk();
  for (const std::string& key : changes.changed) {
    if (message.facts_chunk().parts_size() == static_cast<int>(parts_in_a_chunk)) {
      Say(message);
      begin_chunk();
    }
    v1::FactsPart* part = message.mutable_facts_chunk()->add_parts();
    part->set_key(key);
    part->set_digest(now.at(key).digest);
    part->set_part(now.at(key).bytes);
  }
  for (const std::string& key : changes.removed)
    message.mutable_facts_chunk()->add_removed_keys(key);
  message.mutable_facts_chunk()->set_last(true);
  message.mutable_facts_chunk()->set_digest(DigestOfParts(now));
  if (wrong_digests > 0) {
    --wrong_digests;
    message.mutable_facts_chunk()->set_digest(Sha256("something else"));
  }
  Say(std::move(message));
}

void FakeAgent::OnOrder(const v1::ConnectResponse& message) {
  switch (message.body_case()) {
    case v1::ConnectResponse::kPrepareProbe:
      return CarryOut(message, message.prepare_probe().order(), ProbeStep::kPrepare, 0);
    case v1::ConnectResponse::kConnectProbe:
      return CarryOut(message, message.connect_probe().order(), ProbeStep::kConnect, 0);
    case v1::ConnectResponse::kArmPhase:
      return CarryOut(message, message.arm_phase().order(), ProbeStep::kArm,
                      message.arm_phase().phase());
    case v1::ConnectResponse::kRunPhase:
      return CarryOut(message, message.run_phase().order(), ProbeStep::kRun,
                      message.run_phase().phase());
    case v1::ConnectResponse::kClosePhase:
      return CarryOut(message, message.close_phase().order(), ProbeStep::kClose,
                      message.close_phase().phase());
    case v1::ConnectResponse::kReleaseProbe:
      return CarryOut(message, message.release_probe().order(), ProbeStep::kRelease, 0);
    default:
      return;
  }
}

void FakeAgent::CarryOut(const v1::ConnectResponse& message, const v1::Order& order, ProbeStep step,
                         std::uint32_t phase) {
  static constexpr const char* kNames[] = {"prepare", "connect", "arm", "run", "close", "release"};
  const std::string name = fmt::format("{}/{}/{}/{}", order.probe_id(), order.attempt(),
                                       kNames[static_cast<int>(step)], phase);
  const std::string key = fmt::format("{}/{}", order.probe_id(), order.attempt());
  v1::ConnectRequest answer;
  auto reacts = reactions.find(step);
  Reaction reaction = reacts == reactions.end() ? Reaction::kAnswer : reacts->second;
  const bool stale = order.session() != session_ || order.epoch() < epoch_;
  if (stale || reaction == Reaction::kRefuse) {
    v1::ProbeRefused* refused = answer.mutable_probe_refused();
    refused->set_probe_id(order.probe_id());
    refused->set_attempt(order.attempt());
    refused->set_reason(stale ? v1::REFUSAL_REASON_STALE_EPOCH : refusal);
    refused->set_step(kNames[static_cast<int>(step)]);
    refused->set_error(refusal_error);
    refused->set_detail(refusal_detail);
    Say(std::move(answer));
    return;
  }
  for (const std::string& earlier : carried_out) {
    if (earlier == name) run_twice.insert(name);
  }
  carried_out.push_back(name);
  if (step == ProbeStep::kPrepare) {
    for (int place = 0; place < message.prepare_probe().spec().phases_size(); ++place) {
      // The agent's own rule: a spec is whole in each attempt.
      if (message.prepare_probe().spec().phases(place).index() != static_cast<unsigned>(place)) {
        run_twice.insert(name + " has phases out of place");
      }
    }
    probes_[key] = {message.prepare_probe().spec(), message.prepare_probe().side(), {}};
  }
  if (reaction == Reaction::kSilent) return;
  if (reaction == Reaction::kHangUp) return HangUp();
  if (reaction == Reaction::kEnd || step == ProbeStep::kRelease || !probes_.contains(key)) {
    return EndProbe(order, step == ProbeStep::kRelease ? "released" : "session deadline");
  }
  Probe& probe = probes_.at(key);
  if (step == ProbeStep::kPrepare) {
    v1::ProbePrepared* prepared = answer.mutable_probe_prepared();
    prepared->set_probe_id(order.probe_id());
    prepared->set_attempt(order.attempt());
    prepared->mutable_endpoint()->set_gid("::ffff:" + host_);
  } else if (step == ProbeStep::kConnect) {
    answer.mutable_probe_connected()->set_probe_id(order.probe_id());
    answer.mutable_probe_connected()->set_attempt(order.attempt());
  } else {
    v1::PhaseDone* done = answer.mutable_phase_done();
    done->set_probe_id(order.probe_id());
    done->set_attempt(order.attempt());
    done->set_side(probe.side);
    if (step == ProbeStep::kArm) {
      done->set_armed_only(true);
      done->mutable_result()->set_index(phase);
      done->mutable_result()->set_outcome(arm_outcome);
    } else {
      *done->mutable_result() = Measure(probe, phase);
      probe.results.push_back(done->result());
    }
  }
  Say(std::move(answer));
}

v1::PhaseResult FakeAgent::Measure(const Probe& probe, std::uint32_t phase) const {
  v1::PhaseResult result;
  for (const v1::ProbePhase& planned : probe.spec.phases()) {
    if (planned.index() != phase) continue;
    if (measure) result = measure(probe.spec, planned, probe.side);
    if (result.outcome() == v1::PHASE_OUTCOME_UNSPECIFIED) {
      result.set_outcome(v1::PHASE_OUTCOME_DONE);
      result.set_bytes_moved(std::uint64_t{planned.message_bytes()} * planned.iterations());
      result.set_bytes_verified(planned.message_bytes());
    }
  }
  result.set_index(phase);
  return result;
}

void FakeAgent::EndProbe(const v1::Order& order, const std::string& why) {
  const std::string key = fmt::format("{}/{}", order.probe_id(), order.attempt());
  v1::ConnectRequest message;
  v1::EndReport* report = message.mutable_end_report();
  *report = last_words;
  report->set_probe_id(order.probe_id());
  report->set_attempt(order.attempt());
  report->set_detail(why);
  if (auto probe = probes_.find(key); probe != probes_.end()) {
    report->set_side(probe->second.side);
    for (const v1::PhaseResult& result : probe->second.results) *report->add_phases() = result;
    probes_.erase(probe);
  }
  Say(std::move(message));
}

v1::HostFacts FactsOfSmallHost(const std::string& host, int number) {
  v1::HostFacts facts;
  facts.mutable_identity()->set_host(host);
  facts.mutable_kernel()->mutable_reading()->set_outcome(v1::OUTCOME_OK);
  facts.mutable_kernel()->set_release("6.1.0-37-amd64");

  const std::string net_id = fmt::format("pci:0000:00:0{}.0/0", 5);
  v1::PciFunction* pci = facts.add_pci_functions();
  pci->set_id("pci:0000:00:05.0");
  pci->mutable_reading()->set_outcome(v1::OUTCOME_OK);
  pci->set_adapter_id("pci:0000:00:05");
  v1::NetDevice* net = facts.add_net_devices();
  net->set_id(net_id);
  net->set_index(2);
  net->set_name("eth0");
  net->mutable_addresses()->mutable_reading()->set_outcome(v1::OUTCOME_OK);
  v1::IpAddress* address = net->mutable_addresses()->add_addresses();
  address->set_address(fmt::format("10.77.0.{}", number));
  address->set_prefix_bits(24);

  v1::RdmaDevice* device = facts.add_rdma_devices();
  device->set_id("netdev:" + net_id);
  device->set_index(0);
  device->set_name("rxe0");
  device->mutable_reading()->set_outcome(v1::OUTCOME_OK);
  v1::RdmaPort* port = device->add_ports();
  port->set_number(1);
  port->mutable_reading()->set_outcome(v1::OUTCOME_OK);
  port->set_state(v1::PORT_STATE_ACTIVE);
  port->set_net_device_id(net_id);
  port->mutable_attributes()->mutable_reading()->set_outcome(v1::OUTCOME_OK);
  port->mutable_attributes()->set_active_mtu_bytes(4096);
  port->mutable_attributes()->set_link_layer("Ethernet");
  return facts;
}

}  // namespace roceready
