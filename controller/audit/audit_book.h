// SPDX-License-Identifier: Apache-2.0
// All audits of one controller: made once per request id, run a few at a time, kept for a while
// after their end. Runs on the event loop.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controller/audit/audit_run.h"
#include "controller/audit/last_verdicts.h"
#include "proto/process/duration_histogram.h"

namespace roceready {

// Since the start, for who watches.
struct AuditCounters {
  // By the state an audit ended in and what it says (unspecified: it has no verdict).
  std::map<std::pair<v1::AuditState, v1::Readiness>, std::uint64_t> ended;
  // Not taken on: too many waited.
  std::uint64_t refused = 0;
  // Of those that began, from there to their end.
  DurationHistogram took_with_probes{kBounds};
  DurationHistogram took_without_probes{kBounds};

  // Up to AuditRun::kTimeout.
  static inline const std::vector<Duration> kBounds = {
      std::chrono::milliseconds(100), std::chrono::milliseconds(500), std::chrono::seconds(1),
      std::chrono::seconds(2),        std::chrono::seconds(5),        std::chrono::seconds(10),
      std::chrono::seconds(30),       std::chrono::seconds(60),       std::chrono::minutes(2),
      std::chrono::minutes(5),        std::chrono::minutes(10),       std::chrono::minutes(15)};
};

class AuditBook {
 public:
  struct Options {
    std::uint64_t epoch = 0;
    std::size_t at_once = 4;
    std::size_t waiting = 64;
    // Ended audits that are kept.
    std::size_t kept = 100;
  };

  AuditBook(AuditTools tools, Options options) : tools_(tools), options_(options) {}

  // `hosts` and `policy` are what the request's words stand for. kAlreadyExists: the same caller
  // used this request id for something else. kResourceExhausted: too many audits wait.
  absl::StatusOr<std::shared_ptr<AuditRun>> Create(v1::CreateAuditRequest request,
                                                   std::vector<std::string> hosts,
                                                   std::shared_ptr<const LoadedPolicy> policy,
                                                   const std::string& caller);

  // kNotFound, in words that say whether there ever was one. An audit of an earlier epoch has no
  // run, see LostAudit.
  absl::StatusOr<std::shared_ptr<AuditRun>> Find(std::string_view audit_id) const;

  // What is to be said of an audit that an earlier start of this controller made.
  std::optional<v1::Audit> LostAudit(std::string_view audit_id) const;

  // Newest first.
  std::vector<std::shared_ptr<AuditRun>> All() const;

  std::size_t running() const { return running_; }
  std::size_t waiting() const;
  // Of those that are kept the one that ended last with a verdict; null where there is none.
  std::shared_ptr<const AuditRun> NewestJudged() const;
  const LastVerdicts& last_verdicts() const { return last_verdicts_; }
  const AuditCounters& counters() const { return counters_; }

 private:
  void BeginWaiting();
  void OnEnd(std::uint64_t number);
  void Count(const AuditRun& audit);

  AuditTools tools_;
  Options options_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, std::shared_ptr<AuditRun>> audits_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> by_request_;  // caller, request id
  std::deque<std::uint64_t> waiting_;
  std::size_t running_ = 0;
  std::deque<std::uint64_t> ended_;
  LastVerdicts last_verdicts_;
  AuditCounters counters_;
};

}  // namespace roceready
