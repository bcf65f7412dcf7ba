// SPDX-License-Identifier: Apache-2.0
// Collector and probe executor as the link sees them.
#pragma once

#include <functional>

#include "agent/facts/collector.h"
#include "agent/link/facts_source.h"
#include "agent/link/probe_runner.h"
#include "agent/probe/executor.h"

namespace roceready::agent {

class CollectorSource final : public link::FactsSource {
 public:
  explicit CollectorSource(facts::Collector* collector) : collector_(collector) {}
  void Collect(bool with_raw_counters, std::function<void(link::Collection)> done) override;
  void CollectChanged(const watch::Changes& changes,
                      std::function<void(link::Collection)> done) override;

 private:
  facts::Collector* const collector_;
};

class ExecutorRunner final : public link::ProbeRunner {
 public:
  explicit ExecutorRunner(probe::Executor* executor) : executor_(executor) {}
  void BeginSession(uint64_t epoch, std::string_view session) override;
  void Execute(const v1::ConnectResponse& order) override;
  void EndAll(std::string_view reason) override;
  std::vector<v1::EndReport> UnacceptedReports() const override;
  void Accepted(const v1::EndReportAccepted& accepted) override;
  std::vector<std::string> OpenProbes() const override;
  size_t LiveSessions() const override;
  v1::ProbeLimits Limits() const override;

 private:
  probe::Executor* const executor_;
};

}  // namespace roceready::agent
