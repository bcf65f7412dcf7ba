// SPDX-License-Identifier: Apache-2.0
// All audits of one controller: made once per request id, run a few at a time, kept for a while
// after their end, and in the archive over a restart. Runs on the event loop.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controller/audit/audit_archive.h"
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
    // Ended audits that are at hand.
    std::size_t kept = 100;
  };

  // The archive is not owned and outlives the book.
  AuditBook(AuditTools tools, AuditArchive* archive, Options options)
      : tools_(tools), archive_(archive), options_(options) {}

  // Takes up the audits of earlier starts, in any order, before anything else is asked of the book.
  // Those that had not ended have ended now (AuditRun::kLost).
  void Restore(std::vector<KeptAudit> kept);

  // The controller stops: nothing is begun any more, and what ends now ends because its hosts go.
  // The archive does not hear of it, so that the next start finds these audits lost.
  void Close();

  // `hosts` and `policy` are what the request's words stand for. `done` runs once, now or later,
  // when the audit is in the archive. kAlreadyExists: the same caller used this request id for
  // something else. kResourceExhausted: too many audits wait. kUnavailable: the archive cannot take
  // it.
  using Created = std::function<void(absl::StatusOr<std::shared_ptr<AuditRun>>)>;
  void Create(v1::CreateAuditRequest request, std::vector<std::string> hosts,
              std::shared_ptr<const LoadedPolicy> policy, const std::string& caller, Created done);

  struct ProbesStopped {
    // Those that had probes left to run, the newest first.
    std::vector<std::string> audit_ids;
    ProbeRunner::Stopped pairs;
  };
  // AuditRun::StopProbes of each. `done` runs once, when no pair of them runs any more, perhaps
  // before this returns.
  using StopDone = std::function<void(const ProbesStopped&)>;
  void StopProbes(const std::vector<std::shared_ptr<AuditRun>>& audits, const std::string& reason,
                  StopDone done);
  // Of every audit that has been asked for, also of one that is not in the archive yet.
  void StopAllProbes(const std::string& reason, StopDone done);

  // kNotFound, in words that say whether there ever was one.
  absl::StatusOr<std::shared_ptr<AuditRun>> Find(std::string_view audit_id) const;

  // The id of an audit that was made and is not at hand: the archive may have it.
  std::optional<AuditId> NotAtHand(std::string_view audit_id) const;
  // One that the archive has: to be read, and not in the book.
  std::shared_ptr<const AuditRun> Reopened(KeptAudit kept) const {
    return std::make_shared<const AuditRun>(std::move(kept), tools_);
  }

  // Newest first.
  std::vector<std::shared_ptr<AuditRun>> All() const;

  // Hosts that may still carry out a probe (ProbeRunner::HostsUnsure).
  std::vector<std::string> HostsUnsure() const { return tools_.prober->HostsUnsure(); }

  std::size_t running() const { return running_.size(); }
  std::size_t waiting() const { return waiting_.size(); }
  // Of those that are kept the one that ended last with a verdict; null where there is none.
  std::shared_ptr<const AuditRun> NewestJudged() const;
  const LastVerdicts& last_verdicts() const { return last_verdicts_; }
  const AuditCounters& counters() const { return counters_; }

 private:
  // An audit that is not in the archive yet: nobody has heard of it.
  struct Storing {
    std::shared_ptr<AuditRun> audit;
    std::vector<Created> waiting;
    // Not empty: its probes were stopped meanwhile, and why.
    std::string stopped;
  };

  void Stored(const AuditId& id, const absl::Status& status);
  void BeginWaiting();
  void OnEnd(const AuditId& id);
  void Count(const AuditRun& audit);
  void ForgetOldest();
  void ForgetRequest(const AuditId& id);

  AuditTools tools_;
  AuditArchive* archive_;
  Options options_;
  std::uint64_t last_number_ = 0;
  std::map<AuditId, std::shared_ptr<AuditRun>> audits_;
  std::map<std::pair<std::string, std::string>, AuditId> by_request_;  // caller, request id
  std::map<AuditId, Storing> storing_;
  std::deque<AuditId> waiting_;
  std::set<AuditId> running_;
  std::deque<AuditId> ended_;
  bool closed_ = false;
  LastVerdicts last_verdicts_;
  AuditCounters counters_;
};

}  // namespace roceready
