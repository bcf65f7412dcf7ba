// SPDX-License-Identifier: Apache-2.0
// The link's surroundings under a test's control: a controller at the end of streams over memory, a
// host whose facts the test sets, an executor that records. All on one loop with a fake clock.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/link/agent_link.h"
#include "proto/contract/fact_parts.h"
#include "tests/support/fake_clock.h"

namespace roceready::link {

// The controller's end of one stream.
struct FakeStream {
  std::string endpoint;
  StreamEvents events;
  std::vector<v1::ConnectRequest> received;
  // While false nothing more is taken off the agent's hands.
  bool reading = true;
  bool sent_pending = false;
  // The agent's end was destroyed, or said that nothing follows.
  bool ended_by_agent = false;
  bool finished_by_agent = false;
};

class FakeDialer final : public Dialer {
 public:
  explicit FakeDialer(EventLoop* loop) : loop_(loop) {}

  std::unique_ptr<Transport> Dial(const std::string& endpoint, StreamEvents events) override {
    auto stream = std::make_shared<FakeStream>();
    stream->endpoint = endpoint;
    stream->events = std::move(events);
    streams_.push_back(stream);
    return std::make_unique<End>(loop_, stream);
  }

  size_t dials() const { return streams_.size(); }
  FakeStream& last() { return *streams_.back(); }
  FakeStream& at(size_t i) { return *streams_.at(i); }

 private:
  class End final : public Transport {
   public:
    End(EventLoop* loop, std::shared_ptr<FakeStream> stream)
        : loop_(loop), stream_(std::move(stream)) {}
    ~End() override { stream_->ended_by_agent = true; }
    void Send(const v1::ConnectRequest& message) override {
      ASSERT_FALSE(stream_->sent_pending) << "two writes in flight";
      ASSERT_FALSE(stream_->finished_by_agent) << "a write after Finish";
      stream_->received.push_back(message);
      stream_->sent_pending = true;
      if (!stream_->reading) return;
      loop_->PostControl([stream = stream_] {
        stream->sent_pending = false;
        if (!stream->ended_by_agent) stream->events.on_sent();
      });
    }
    void Finish() override { stream_->finished_by_agent = true; }

   private:
    EventLoop* const loop_;
    const std::shared_ptr<FakeStream> stream_;
  };

  EventLoop* const loop_;
  std::vector<std::shared_ptr<FakeStream>> streams_;
};

// Answers at once, or when the test says so.
class FakeFactsSource final : public FactsSource {
 public:
  explicit FakeFactsSource(const Clock* clock) : clock_(clock) {}

  void Collect(bool with_raw_counters, std::function<void(Collection)> done) override {
    EXPECT_FALSE(pending_) << "two collections at once";
    ++collections;
    raw_counters_asked = with_raw_counters;
    pending_ = std::move(done);
    began_ = clock_->Now();
    if (answers_at_once) Answer();
  }
  void CollectChanged(const watch::Changes& changes,
                      std::function<void(Collection)> done) override {
    changes_asked.push_back(changes);
    partial_ = true;
    Collect(false, std::move(done));
  }
  void Answer() {
    ASSERT_TRUE(pending_);
    Collection collection;
    collection.facts = facts;
    collection.counters = counters;
    collection.began = began_;
    collection.older = older;
    collection.partial = std::exchange(partial_, false);
    std::exchange(pending_, nullptr)(std::move(collection));
  }
  bool asked() const { return pending_ != nullptr; }

  v1::HostFacts facts;
  v1::HostCounters counters;
  std::map<std::string, MonotonicTime> older;
  bool answers_at_once = true;
  bool raw_counters_asked = false;
  // Full and partial ones; of the latter, what each was for.
  int collections = 0;
  std::vector<watch::Changes> changes_asked;

 private:
  const Clock* const clock_;
  bool partial_ = false;
  std::function<void(Collection)> pending_;
  MonotonicTime began_{};
};

class FakeProbeRunner final : public ProbeRunner {
 public:
  void BeginSession(uint64_t epoch, std::string_view session) override {
    sessions.emplace_back(epoch, std::string(session));
  }
  void Execute(const v1::ConnectResponse& order) override { orders.push_back(order); }
  void EndAll(std::string_view reason) override { ended.emplace_back(reason); }
  std::vector<v1::EndReport> UnacceptedReports() const override { return reports; }
  void Accepted(const v1::EndReportAccepted& accepted) override {
    std::erase_if(reports, [&](const v1::EndReport& report) {
      return report.probe_id() == accepted.probe_id() && report.attempt() == accepted.attempt();
    });
  }
  std::vector<std::string> OpenProbes() const override {
    std::vector<std::string> names;
    for (const auto& report : reports) {
      names.push_back(report.probe_id() + "/" + std::to_string(report.attempt()));
    }
    return names;
  }
  size_t LiveSessions() const override { return live; }
  v1::ProbeLimits Limits() const override {
    v1::ProbeLimits limits;
    limits.set_sessions(4);
    return limits;
  }

  std::vector<std::pair<uint64_t, std::string>> sessions;
  std::vector<v1::ConnectResponse> orders;
  std::vector<std::string> ended;
  std::vector<v1::EndReport> reports;
  size_t live = 0;
};

class FakeEpochStore final : public EpochStore {
 public:
  uint64_t highest() const override { return highest_epoch; }
  absl::Status Raise(uint64_t epoch) override {
    if (raise_fails) return absl::ResourceExhaustedError("disk full");
    highest_epoch = epoch;
    return absl::OkStatus();
  }
  uint64_t highest_epoch = 0;
  bool raise_fails = false;
};

// What a controller does with chunks: collects them, applies them whole at `last` if the digest
// agrees.
class FactsMirror {
 public:
  // True when a transfer was applied by this chunk.
  bool Take(const v1::FactsChunk& chunk) {
    if (pending_.empty()) {
      pending_ = chunk.since_generation() == 0 ? FactParts{} : parts;
      EXPECT_TRUE(chunk.since_generation() == 0 || chunk.since_generation() == generation);
    }
    for (const std::string& key : chunk.removed_keys()) pending_.erase(key);
    for (const v1::FactsPart& part : chunk.parts()) {
      EXPECT_EQ(Sha256(part.part()), part.digest()) << part.key();
      pending_[part.key()] = {part.part(), part.digest()};
    }
    if (!chunk.last()) return false;
    EXPECT_EQ(DigestOfParts(pending_), chunk.digest());
    parts = std::exchange(pending_, {});
    generation = chunk.generation();
    return true;
  }
  v1::HostFacts facts() const {
    v1::HostFacts assembled;
    EXPECT_TRUE(AssembleFacts(parts, &assembled).ok());
    return assembled;
  }

  FactParts parts;
  uint64_t generation = 0;

 private:
  FactParts pending_;
};

}  // namespace roceready::link
