// SPDX-License-Identifier: Apache-2.0
// The probe executor of a host that is not there: it carries out every order, in a time that is
// given, with what a simulated fabric shows.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/link/probe_runner.h"
#include "proto/process/event_loop.h"
#include "tests/scale/fleet/simulated_fabric.h"

namespace roceready::scale {

class SimulatedProbes final : public link::ProbeRunner {
 public:
  struct Times {
    Duration order = std::chrono::milliseconds(1);
    Duration phase = std::chrono::milliseconds(20);
  };
  using Answer = std::function<void(v1::ConnectRequest)>;

  // Both outlive this. `answer` is called on the loop.
  SimulatedProbes(EventLoop* loop, const SimulatedFabric* fabric, Times times, Answer answer)
      : loop_(loop), fabric_(fabric), times_(times), answer_(std::move(answer)) {}

  void BeginSession(uint64_t epoch, std::string_view session) override;
  void Execute(const v1::ConnectResponse& order) override;
  void EndAll(std::string_view reason) override;
  std::vector<v1::EndReport> UnacceptedReports() const override;
  void Accepted(const v1::EndReportAccepted& accepted) override;
  std::vector<std::string> OpenProbes() const override;
  size_t LiveSessions() const override { return live_.size(); }
  v1::ProbeLimits Limits() const override { return {}; }

 private:
  using ProbeKey = std::pair<std::string, uint32_t>;  // id and attempt
  struct Probe {
    v1::ProbeSide side = v1::PROBE_SIDE_UNSPECIFIED;
    // Of this side, whole from the beginning.
    v1::EndReport report;
    // Phases that the controller has ordered: only these are reported.
    size_t begun = 0;
  };

  static ProbeKey KeyOf(const v1::Order& order) { return {order.probe_id(), order.attempt()}; }
  // Null where there is none of this order: then it has been refused.
  Probe* Find(const v1::Order& order, std::string_view step);
  void Prepare(const v1::PrepareProbe& order);
  void EndPhase(const v1::Order& order, uint32_t phase, bool armed_only, std::string_view step);
  void End(const ProbeKey& key, std::string_view detail);
  void Refuse(const v1::Order& order, v1::RefusalReason reason, std::string_view step);
  void AnswerAfter(Duration time, v1::ConnectRequest answer);

  EventLoop* const loop_;
  const SimulatedFabric* const fabric_;
  const Times times_;
  const Answer answer_;
  uint64_t epoch_ = 0;
  std::string session_;
  std::map<ProbeKey, Probe> live_;
  std::map<ProbeKey, v1::EndReport> unaccepted_;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace roceready::scale
