// SPDX-License-Identifier: Apache-2.0
#include "agent/link_adapters.h"

#include <utility>

namespace roceready::agent {

namespace {

std::function<void(const facts::Collection&)> Handing(std::function<void(link::Collection)> done) {
  return [done = std::move(done)](const facts::Collection& collection) {
    done({.facts = collection.facts,
          .counters = collection.counters,
          .began = collection.began,
          .older = collection.older,
          .partial = collection.partial});
  };
}

}  // namespace

void CollectorSource::Collect(bool with_raw_counters, std::function<void(link::Collection)> done) {
  collector_->Collect(with_raw_counters, Handing(std::move(done)));
}

void CollectorSource::CollectChanged(const watch::Changes& changes,
                                     std::function<void(link::Collection)> done) {
  collector_->CollectChanged(changes, Handing(std::move(done)));
}

void ExecutorRunner::BeginSession(uint64_t epoch, std::string_view session) {
  executor_->BeginSession(epoch, session);
}
void ExecutorRunner::Execute(const v1::ConnectResponse& order) { executor_->Execute(order); }
void ExecutorRunner::EndAll(std::string_view reason) { executor_->EndAll(reason); }
std::vector<v1::EndReport> ExecutorRunner::UnacceptedReports() const {
  return executor_->UnacceptedReports();
}
void ExecutorRunner::Accepted(const v1::EndReportAccepted& accepted) {
  executor_->Accepted(accepted);
}
std::vector<std::string> ExecutorRunner::OpenProbes() const { return executor_->OpenProbes(); }
size_t ExecutorRunner::LiveSessions() const { return executor_->live_sessions(); }
v1::ProbeLimits ExecutorRunner::Limits() const { return executor_->limits(); }

}  // namespace roceready::agent
