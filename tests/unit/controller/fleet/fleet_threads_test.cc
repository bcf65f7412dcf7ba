// SPDX-License-Identifier: Apache-2.0
// The fleet with its loop on a real thread and streams that speak from threads of their own, as the
// threads of gRPC do: this is what ThreadSanitizer looks at.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "controller/fleet/fleet.h"
#include "controller/fleet/outbound_queue.h"
#include "proto/contract/errors.h"

namespace roceready {
namespace {

// Hands messages from the loop's thread to the agent's.
class Mailbox final : public AgentConnection {
 public:
  explicit Mailbox(const std::string& host) : identity_(IdentityOfNames({host}, {})) {}
  const PeerIdentity& identity() const override { return identity_; }
  const std::string& peer_address() const override { return address_; }
  void Send(v1::ConnectResponse message) override {
    std::lock_guard lock(mutex_);
    EXPECT_TRUE(queue_.Push(std::move(message)));
    arrived_.notify_one();
  }
  void Close(const absl::Status&) override {
    std::lock_guard lock(mutex_);
    closed_ = true;
    arrived_.notify_one();
  }
  // Nothing once the stream is closed.
  std::optional<v1::ConnectResponse> Wait() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return closed_ || !queue_.empty(); });
    return queue_.Pop();
  }

 private:
  const PeerIdentity identity_;
  const std::string address_ = "in memory";
  std::mutex mutex_;
  std::condition_variable arrived_;
  OutboundQueue queue_;
  bool closed_ = false;
};

v1::ConnectRequest HelloOf(const std::string& host) {
  v1::ConnectRequest message;
  message.mutable_hello()->mutable_identity()->set_host(host);
  message.mutable_hello()->mutable_identity()->set_machine_id("m");
  message.mutable_hello()->set_instance("i");
  return message;
}

v1::ConnectRequest WholeFacts(const std::string& host, std::uint64_t generation) {
  v1::HostFacts facts;
  facts.mutable_identity()->set_host(host);
  facts.mutable_kernel()->set_release(std::to_string(generation));
  const FactParts parts = SplitFacts(facts).value();
  v1::ConnectRequest message;
  v1::FactsChunk* chunk = message.mutable_facts_chunk();
  chunk->set_instance("i");
  chunk->set_generation(generation);
  chunk->set_last(true);
  chunk->set_digest(DigestOfParts(parts));
  for (const auto& [key, part] : parts) {
    v1::FactsPart* sent = chunk->add_parts();
    sent->set_key(key);
    sent->set_part(part.bytes);
    sent->set_digest(part.digest);
  }
  return message;
}

TEST(FleetThreads, ManyStreamsAtOnce) {
  constexpr int kAgents = 8;
  constexpr std::uint64_t kGenerations = 50;
  SystemClock clock;
  EventLoop loop(&clock);
  LinkOptions options;
  options.epoch = 1;
  auto fleet = std::make_unique<Fleet>(&loop, options);
  std::thread loop_thread([&] { loop.Run(); });

  std::vector<std::thread> agents;
  for (int i = 0; i < kAgents; ++i) {
    agents.emplace_back([&, host = fmt::format("gpu{}", i)] {
      auto mailbox = std::make_shared<Mailbox>(host);
      // Of the loop's thread alone; shared, for a task may outlive this thread.
      auto stream = std::make_shared<StreamId>(0);
      loop.PostControl([&fleet, mailbox, stream, host] {
        *stream = fleet->Accept(mailbox);
        fleet->Receive(*stream, HelloOf(host));
      });
      std::uint64_t accepted = 0;
      std::uint64_t generation = 0;
      while (accepted < kGenerations) {
        auto message = mailbox->Wait();
        if (!message) break;
        if (message->has_facts_accepted()) accepted = message->facts_accepted().generation();
        if (message->has_facts_wanted() || message->has_facts_accepted()) {
          loop.PostControl([&fleet, stream, facts = WholeFacts(host, ++generation)] {
            fleet->Receive(*stream, facts);
          });
        }
      }
      EXPECT_GE(accepted, kGenerations);
    });
  }
  for (std::thread& agent : agents) agent.join();

  std::size_t hosts = 0;
  loop.PostControl([&] {
    hosts = fleet->hosts().size();
    fleet->EndAll(Unavailable("the test ends"));
    fleet.reset();
    loop.Stop();
  });
  loop_thread.join();
  EXPECT_EQ(hosts, static_cast<std::size_t>(kAgents));
}

}  // namespace
}  // namespace roceready
