// SPDX-License-Identifier: Apache-2.0
// Probes between two hosts without a controller, for the lab and for benchmarks: each host runs
// this program with the agent's own executor and real verbs; one of them plays the controller's
// part.
//
//   host2# probe_pair_driver serve --port 7700
//   host1# probe_pair_driver drive --peer 10.77.0.2:7700 --phase write:integrity:a
//
// `drive` prints one JSON object a phase (active and passive side) and the two EndReports, or with
// --summary one line a phase, and exits with 0 when every phase is DONE. Between the two go frames
// of 4 bytes length and a message: first the server's ProbeEnd, then orders one way and answers the
// other.
#include <arpa/inet.h>
#include <google/protobuf/util/json_util.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>

#include "agent/facts/host_root.h"
#include "agent/facts/inventory.h"
#include "agent/probe/executor.h"
#include "agent/probe/host_environment.h"
#include "agent/probe/limits.h"
#include "agent/watch/uverbs_watch.h"
#include "proto/contract/latency_histogram.h"

namespace roceready::probe {
namespace {

constexpr uint64_t kEpoch = 1;
constexpr char kSession[] = "driver";

[[noreturn]] void Die(const std::string& text) {
  std::cerr << "probe_pair_driver: " << text << "\n";
  std::exit(2);
}

bool SendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool ReceiveAll(int socket, char* into, size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(socket, into, size, 0);
    if (got <= 0) return false;
    into += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool SendFrame(int socket, const google::protobuf::Message& message) {
  const std::string body = message.SerializeAsString();
  const uint32_t size = htonl(static_cast<uint32_t>(body.size()));
  return SendAll(socket, std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + body);
}

bool ReceiveFrame(int socket, google::protobuf::Message& message) {
  uint32_t size = 0;
  if (!ReceiveAll(socket, reinterpret_cast<char*>(&size), sizeof(size))) return false;
  std::string body(ntohl(size), '\0');
  return ReceiveAll(socket, body.data(), body.size()) && message.ParseFromString(body);
}

// What the far and the near side have in common: orders in, answers out.
class Side {
 public:
  virtual ~Side() = default;
  virtual void Give(const v1::ConnectResponse& order) = 0;
  virtual v1::ConnectRequest Next() = 0;
};

// This host's executor, as the agent's main would set it up.
class Agent {
 public:
  explicit Agent(Executor::Answer answer)
      : executor_({}, MakeHostEnvironment({}), std::move(answer)) {
    executor_.BeginSession(kEpoch, kSession);
    auto watch =
        watch::UverbsWatch::Start([this](std::string_view node) { executor_.NodeGone(node); });
    if (!watch.ok()) Die(std::string(watch.status().message()));
    watch_ = *std::move(watch);
  }
  Executor& executor() { return executor_; }

 private:
  Executor executor_;
  std::unique_ptr<watch::UverbsWatch> watch_;
};

class NearSide : public Side {
 public:
  NearSide()
      : agent_([this](v1::ConnectRequest answer) {
          {
            const std::lock_guard lock(mutex_);
            answers_.push_back(std::move(answer));
          }
          came_.notify_all();
        }) {}
  void Give(const v1::ConnectResponse& order) override { agent_.executor().Execute(order); }
  v1::ConnectRequest Next() override {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [this] { return !answers_.empty(); });
    v1::ConnectRequest answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<v1::ConnectRequest> answers_;
  Agent agent_;
};

class FarSide : public Side {
 public:
  explicit FarSide(int socket) : socket_(socket) {}
  void Give(const v1::ConnectResponse& order) override {
    if (!SendFrame(socket_, order)) Die("the peer's stream is closed");
  }
  v1::ConnectRequest Next() override {
    v1::ConnectRequest answer;
    if (!ReceiveFrame(socket_, answer)) Die("the peer's stream is closed");
    return answer;
  }

 private:
  const int socket_;
};

v1::ProbeEnd EndHere(const std::string& rdma_name, const std::string& net_name) {
  const facts::HostRoot root;
  const facts::Inventory inventory = facts::ReadInventory(root);
  v1::ProbeEnd end;
  for (const auto& entry : inventory.rdma_devices) {
    if (entry.name == rdma_name) end.set_rdma_device_id(entry.id);
  }
  for (const auto& entry : inventory.net_devices) {
    if (entry.name == net_name) end.set_net_device_id(entry.id);
  }
  if (end.rdma_device_id().empty() || end.net_device_id().empty()) {
    Die("no " + rdma_name + " or " + net_name + " here");
  }
  end.set_port(1);
  end.set_gid_type(v1::GID_TYPE_ROCE_V2);
  end.set_gid_family(v1::IP_FAMILY_V4);
  return end;
}

void Serve(uint16_t port, const v1::ProbeEnd& end, bool outlive_stream) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int one = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener, 4) != 0) {
    Die(std::string("cannot listen: ") + std::strerror(errno));
  }
  for (;;) {
    const int stream = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (stream < 0) Die(std::string("accept: ") + std::strerror(errno));
    ::setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    {
      Agent agent([stream](const v1::ConnectRequest& answer) {
        std::cout << "answer " << answer.body_case() << " " << answer.end_report().detail()
                  << std::endl;
        SendFrame(stream, answer);
      });
      SendFrame(stream, end);
      v1::ConnectResponse order;
      while (ReceiveFrame(stream, order)) agent.executor().Execute(order);
      while (outlive_stream && agent.executor().live_sessions() > 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      agent.executor().EndAll("stream closed");
    }
    ::close(stream);
  }
}

int ConnectTo(const std::string& peer) {
  const size_t colon = peer.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (colon == std::string::npos ||
      ::inet_pton(AF_INET, peer.substr(0, colon).c_str(), &address.sin_addr) != 1) {
    Die("--peer is not ADDRESS:PORT");
  }
  address.sin_port = htons(static_cast<uint16_t>(std::atoi(peer.c_str() + colon + 1)));
  const int stream = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(stream, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    Die(std::string("cannot connect: ") + std::strerror(errno));
  }
  const int one = 1;
  ::setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  return stream;
}

struct Plan {
  std::vector<std::string> phases;
  uint32_t message_bytes = 65536;
  uint32_t iterations = 100;
  uint32_t queue_depth = 128;
  uint32_t queue_pairs = 1;
  uint32_t mtu = 4096;
  uint32_t traffic_class = 106;
  uint32_t timeout_exponent = 18;
  uint64_t buffer_bytes = 4 << 20;
  uint32_t phase_seconds = 20;
  uint32_t session_seconds = 60;
  bool summary = false;
};

v1::ProbePhase PhaseOf(const std::string& text, const Plan& plan, uint32_t index) {
  const size_t first = text.find(':');
  const size_t second = text.find(':', first + 1);
  if (second == std::string::npos) Die("--phase is OPERATION:MEASURE:SIDE, not " + text);
  std::string words[]{text.substr(0, first), text.substr(first + 1, second - first - 1),
                      text.substr(second + 1)};
  for (std::string& word : words) {
    for (char& letter : word)
      letter = letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
  }
  v1::ProbePhase phase;
  v1::ProbeOperation operation;
  v1::ProbeMeasure measure;
  v1::ProbeSide side;
  if (!v1::ProbeOperation_Parse("PROBE_OPERATION_" + words[0], &operation) ||
      !v1::ProbeMeasure_Parse("PROBE_MEASURE_" + words[1], &measure) ||
      !v1::ProbeSide_Parse("PROBE_SIDE_" + words[2], &side)) {
    Die("unknown phase " + text);
  }
  phase.set_index(index);
  phase.set_operation(operation);
  phase.set_measure(measure);
  phase.set_active_side(side);
  phase.set_message_bytes(plan.message_bytes);
  phase.set_iterations(plan.iterations);
  phase.set_queue_depth(plan.queue_depth);
  phase.set_pattern_seed(std::random_device()());
  phase.mutable_deadline()->set_seconds(plan.phase_seconds);
  return phase;
}

std::string Json(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  (void)google::protobuf::util::MessageToJsonString(message, &text, options);
  return text;
}

// "write bandwidth done done bandwidth_bps=51234567 p50_ns=0 p99_ns=0 max_ns=0 verified=0"
std::string Summary(const v1::ProbePhase& phase, const v1::PhaseResult& active,
                    const v1::PhaseResult& passive) {
  const auto word = [](std::string_view name) {
    std::string text;
    for (const char letter : name.substr(name.find('_', name.find('_') + 1) + 1)) {
      text += static_cast<char>(std::tolower(letter));
    }
    return text;
  };
  const auto latency = LatencyHistogram::FromProto(active.latency());
  return fmt::format(
      "{} {} {} {} bandwidth_bps={:.0f} p50_ns={} p99_ns={} max_ns={} verified={}",
      word(v1::ProbeOperation_Name(phase.operation())),
      word(v1::ProbeMeasure_Name(phase.measure())), word(v1::PhaseOutcome_Name(active.outcome())),
      word(v1::PhaseOutcome_Name(passive.outcome())), active.bandwidth_bps(),
      latency.ok() ? latency->Quantile(0.5) : 0, latency.ok() ? latency->Quantile(0.99) : 0,
      active.latency().max_ns(), active.bytes_verified() + passive.bytes_verified());
}

class Drive {
 public:
  Drive(Side& a, Side& b, v1::ProbeSpec spec, bool summary)
      : a_(a), b_(b), spec_(std::move(spec)), summary_(summary) {}

  bool Run() {
    const bool good = Connect() && RunPhases();
    Release();
    return good && all_done_;
  }

 private:
  v1::Order Order() {
    v1::Order order;
    order.set_epoch(kEpoch);
    order.set_session(kSession);
    order.set_probe_id(spec_.probe_id());
    order.set_attempt(spec_.attempt());
    return order;
  }
  bool Connect() {
    v1::ConnectResponse order;
    *order.mutable_prepare_probe()->mutable_order() = Order();
    *order.mutable_prepare_probe()->mutable_spec() = spec_;
    order.mutable_prepare_probe()->set_side(v1::PROBE_SIDE_A);
    a_.Give(order);
    order.mutable_prepare_probe()->set_side(v1::PROBE_SIDE_B);
    b_.Give(order);
    const v1::ConnectRequest a = a_.Next();
    const v1::ConnectRequest b = b_.Next();
    if (!a.has_probe_prepared() || !b.has_probe_prepared()) return Complain(a, b);
    *order.mutable_connect_probe()->mutable_order() = Order();
    *order.mutable_connect_probe()->mutable_peer() = b.probe_prepared().endpoint();
    a_.Give(order);
    *order.mutable_connect_probe()->mutable_peer() = a.probe_prepared().endpoint();
    b_.Give(order);
    const v1::ConnectRequest connected_a = a_.Next();
    const v1::ConnectRequest connected_b = b_.Next();
    if (connected_a.has_probe_connected() && connected_b.has_probe_connected()) return true;
    return Complain(connected_a, connected_b);
  }
  bool Complain(const v1::ConnectRequest& a, const v1::ConnectRequest& b) {
    std::cout << Json(a) << "\n" << Json(b) << std::endl;
    return false;
  }
  bool RunPhases() {
    for (const v1::ProbePhase& phase : spec_.phases()) {
      Side& active = phase.active_side() == v1::PROBE_SIDE_A ? a_ : b_;
      Side& passive = phase.active_side() == v1::PROBE_SIDE_A ? b_ : a_;
      v1::ConnectResponse order;
      *order.mutable_arm_phase()->mutable_order() = Order();
      order.mutable_arm_phase()->set_phase(phase.index());
      if (!Answered(passive, order)) return false;
      *order.mutable_run_phase()->mutable_order() = Order();
      order.mutable_run_phase()->set_phase(phase.index());
      const auto ran = Answered(active, order);
      if (!ran) return false;
      *order.mutable_close_phase()->mutable_order() = Order();
      order.mutable_close_phase()->set_phase(phase.index());
      const auto closed = Answered(passive, order);
      if (!closed) return false;
      if (summary_) {
        std::cout << Summary(phase, *ran, *closed) << std::endl;
      } else {
        std::cout << "{\"active\":" << Json(*ran) << ",\"passive\":" << Json(*closed) << "}"
                  << std::endl;
      }
      all_done_ = all_done_ && ran->outcome() == v1::PHASE_OUTCOME_DONE &&
                  closed->outcome() == v1::PHASE_OUTCOME_DONE;
    }
    return true;
  }
  std::optional<v1::PhaseResult> Answered(Side& side, const v1::ConnectResponse& order) {
    side.Give(order);
    const v1::ConnectRequest answer = side.Next();
    if (answer.has_phase_done()) return answer.phase_done().result();
    std::cout << Json(answer) << std::endl;
    return std::nullopt;
  }
  void Release() {
    for (Side* side : {&a_, &b_}) {
      v1::ConnectResponse order;
      *order.mutable_release_probe()->mutable_order() = Order();
      side->Give(order);
      const v1::ConnectRequest answer = side->Next();
      all_done_ = all_done_ && answer.end_report().resources_left() == 0;
      v1::EndReport report = answer.end_report();
      report.clear_phases();
      if (!summary_) std::cout << "{\"end_report\":" << Json(report) << "}" << std::endl;
    }
  }

  Side& a_;
  Side& b_;
  const v1::ProbeSpec spec_;
  const bool summary_;
  bool all_done_ = true;
};

int DriveProbe(const std::string& peer, const v1::ProbeEnd& here, const Plan& plan) {
  const int stream = ConnectTo(peer);
  v1::ProbeSpec spec;
  spec.set_probe_id("driver");
  spec.set_attempt(1);
  *spec.mutable_a() = here;
  if (!ReceiveFrame(stream, *spec.mutable_b())) Die("the peer says nothing");
  v1::TransportParameters& transport = *spec.mutable_transport();
  transport.set_path_mtu_bytes(plan.mtu);
  transport.set_traffic_class(plan.traffic_class);
  transport.set_ack_timeout_exponent(plan.timeout_exponent);
  transport.set_retry_count(3);
  transport.set_rnr_retry_count(6);
  spec.set_queue_pairs(plan.queue_pairs);
  spec.set_buffer_bytes(plan.buffer_bytes);
  spec.mutable_deadline()->set_seconds(plan.session_seconds);
  for (size_t i = 0; i < plan.phases.size(); ++i) {
    *spec.add_phases() = PhaseOf(plan.phases[i], plan, static_cast<uint32_t>(i));
  }
  FarSide far(stream);
  NearSide near;
  return Drive(near, far, spec, plan.summary).Run() ? 0 : 1;
}

}  // namespace
}  // namespace roceready::probe

int main(int argc, char** argv) {
  using namespace roceready::probe;
  CLI::App app("Probes between two hosts without a controller");
  std::string rdma_name = "rxe0";
  std::string net_name = "eth0";
  app.add_option("--device", rdma_name);
  app.add_option("--netdev", net_name);
  app.require_subcommand(1);
  uint16_t port = 7700;
  bool outlive_stream = false;
  CLI::App* serve = app.add_subcommand("serve", "the far side; one stream at a time, for ever");
  serve->add_option("--port", port);
  serve->add_flag("--outlive-stream", outlive_stream,
                  "sessions end by their own deadline, not with the stream");
  std::string peer;
  Plan plan;
  CLI::App* drive = app.add_subcommand("drive", "the near side, and the controller's part");
  drive->add_option("--peer", peer)->required();
  drive->add_option("--phase", plan.phases, "OPERATION:MEASURE:SIDE, e.g. read:latency:b")
      ->required();
  drive->add_option("--bytes", plan.message_bytes);
  drive->add_option("--iterations", plan.iterations);
  drive->add_option("--depth", plan.queue_depth);
  drive->add_option("--queue-pairs", plan.queue_pairs);
  drive->add_option("--mtu", plan.mtu);
  drive->add_option("--traffic-class", plan.traffic_class);
  drive->add_option("--timeout-exponent", plan.timeout_exponent);
  drive->add_option("--buffer", plan.buffer_bytes);
  drive->add_option("--phase-seconds", plan.phase_seconds);
  drive->add_option("--session-seconds", plan.session_seconds);
  drive->add_flag("--summary", plan.summary, "one line a phase");
  CLI11_PARSE(app, argc, argv);

  const auto here = EndHere(rdma_name, net_name);
  if (serve->parsed()) {
    Serve(port, here, outlive_stream);
    return 0;
  }
  return DriveProbe(peer, here, plan);
}
