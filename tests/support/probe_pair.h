// SPDX-License-Identifier: Apache-2.0
// Two agents' probe executors on one fake fabric, and the controller's part played by the test.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "agent/probe/executor.h"
#include "tests/support/fake_verbs.h"
#include "tests/support/fake_wire.h"

namespace roceready::probe::testing {

// One agent. Its device is called "rdma-NAME".
class ProbeSideUnderTest {
 public:
  ProbeSideUnderTest(const std::string& name, v1::ProbeSide side, std::shared_ptr<Fabric> fabric,
                     std::shared_ptr<HandClock> clock, const v1::AgentProbeLimits& limits);

  // The next answer; fails the test and is empty when none comes.
  v1::ConnectRequest Next();
  bool HasAnswer();
  // The next answer, time passing in steps until it has come.
  v1::ConnectRequest NextAfter(nanoseconds step);

  // Each gives an order and waits for its answer.
  v1::ConnectRequest Prepare(const v1::ProbeSpec& spec);
  v1::ConnectRequest Connect(const v1::ProbeSpec& spec, const v1::ProbeEndpoint& peer);
  v1::ConnectRequest Arm(const v1::ProbeSpec& spec, uint32_t phase);
  v1::ConnectRequest Run(const v1::ProbeSpec& spec, uint32_t phase);
  v1::ConnectRequest Close(const v1::ProbeSpec& spec, uint32_t phase);
  v1::ConnectRequest Release(const v1::ProbeSpec& spec);

  // Orders to give by Executor::Execute.
  v1::ConnectResponse PrepareOrder(const v1::ProbeSpec& spec) const;
  v1::ConnectResponse ConnectOrder(const v1::ProbeSpec& spec, const v1::ProbeEndpoint& peer) const;
  v1::ConnectResponse RunOrder(const v1::ProbeSpec& spec, uint32_t phase) const;
  v1::ConnectResponse ReleaseOrder(const v1::ProbeSpec& spec) const;

  FakeUse& use() { return *use_; }
  FakeWire& wire() { return *wire_; }
  Executor& executor() { return *executor_; }
  // As when the agent is stopped.
  void Stop() { executor_.reset(); }

  static constexpr uint64_t kEpoch = 7;

 private:
  v1::Order OrderOf(const v1::ProbeSpec& spec) const;

  const v1::ProbeSide side_;
  const std::shared_ptr<HandClock> clock_;
  std::shared_ptr<FakeUse> use_ = std::make_shared<FakeUse>();
  std::shared_ptr<FakeWire> wire_ = std::make_shared<FakeWire>();
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<v1::ConnectRequest> answers_;
  std::unique_ptr<Executor> executor_;
};

class ProbePair {
 public:
  explicit ProbePair(const v1::AgentProbeLimits& limits = {});

  // A probe of no phases between a and b.
  static v1::ProbeSpec Spec();
  static v1::ProbePhase& AddPhase(v1::ProbeSpec& spec, v1::ProbeOperation operation,
                                  v1::ProbeMeasure measure,
                                  v1::ProbeSide active = v1::PROBE_SIDE_A);

  // Prepares and connects both; the test has failed when it returns false.
  bool Connect(const v1::ProbeSpec& spec);
  struct Results {
    v1::PhaseResult active;
    v1::PhaseResult passive;
  };
  // Arm, run, close.
  Results RunPhase(const v1::ProbeSpec& spec, uint32_t phase);

  std::shared_ptr<HandClock> clock = std::make_shared<HandClock>();
  std::shared_ptr<Fabric> fabric = std::make_shared<Fabric>();
  ProbeSideUnderTest a;
  ProbeSideUnderTest b;
};

}  // namespace roceready::probe::testing
