// SPDX-License-Identifier: Apache-2.0
// What can be said of sets of hosts from what is known. Sets that are asked about again are kept
// judged, and who asks about the same set at the same time gets the same answer. Runs on the event
// loop, judges on the workers.
#pragma once

#include <absl/status/statusor.h>

#include <compare>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/audit/audit_book.h"
#include "controller/audit/work_thread.h"
#include "controller/fleet/fresh_facts.h"
#include "controller/verdict/standing_judgement.h"

namespace roceready {

class VerdictBook {
 public:
  // An answer is given again for so long, unasked whether anything has changed ...
  static constexpr Duration kAnswerGoodFor = std::chrono::seconds(1);
  // ... and for so long while a newer one is being made: who asks waits for no judging then. (Its
  // time is in the answer.) Not where facts have become older than the question takes.
  static constexpr Duration kAnswerUsableFor = std::chrono::seconds(5);
  // Sets that are kept judged, and the hosts in them together; the one that was asked about longest
  // ago goes first. One set is always kept.
  static constexpr std::size_t kSetsKept = 16;
  static constexpr std::size_t kHostsKept = 50'000;
  // Sets of more hosts are judged by a worker of their own: a job's hosts do not wait for a fleet.
  static constexpr std::size_t kLargeSet = 1'000;
  // More wait for no worker, and no more questions for fresh facts: they are refused.
  static constexpr std::size_t kMaxPasses = 64;
  static constexpr std::size_t kMaxRefreshing = 32;
  // The configurations of switches grow old as well, and are judged with the set.
  static constexpr Duration kSwitchAgesGoodFor = std::chrono::minutes(10);
  static constexpr int kMaxCauses = 100;

  // Not owned; all outlive the book.
  struct Tools {
    EventLoop* loop = nullptr;
    Fleet* fleet = nullptr;
    Worker* worker = nullptr;
    Worker* worker_of_large_sets = nullptr;
    const AuditBook* audits = nullptr;
    const SwitchBook* switches = nullptr;
  };

  struct Question {
    std::vector<std::string> hosts;  // each once
    std::shared_ptr<const LoadedPolicy> policy;
    Duration max_age{};
    Duration max_probe_age{};
    // Above zero: hosts with older facts are asked first.
    Duration wait{};
  };
  // kResourceExhausted: too much is being judged, or waited for. kUnavailable: the book is closed.
  using Done = std::function<void(const absl::StatusOr<v1::GetVerdictResponse>&)>;

  explicit VerdictBook(Tools tools) : tools_(tools) {}

  // `done` runs once, now or later.
  void Ask(Question question, Done done);

  // Whoever waits or comes is told that the controller stops: its agents are about to be sent away,
  // which would make every set undetermined.
  void Close();

 private:
  struct Key {
    // Held, so that another policy cannot come to have its address.
    std::shared_ptr<const LoadedPolicy> policy;
    Duration max_age{}, max_probe_age{};
    std::vector<std::string> hosts;
    std::strong_ordering operator<=>(const Key&) const = default;
  };
  // What a host's judgement was made of. Held as well, for the same reason.
  struct Mark {
    std::shared_ptr<const FactParts> parts;
    std::shared_ptr<const v1::HostCounters> counters;
    v1::HostState state = v1::HOST_STATE_UNSPECIFIED;
    std::string state_reason;
    bool too_old = false;
    bool has_duplicate = false;
    bool operator==(const Mark&) const = default;
  };
  struct Standing {
    std::shared_ptr<StandingJudgement> judgement;  // null: not judged yet
    std::map<std::string, Mark> marks;             // by host
    std::vector<std::shared_ptr<const v1::SwitchFacts>> switches;
    MonotonicTime switches_at{};
    // The probes of these count.
    std::vector<std::shared_ptr<const AuditRun>> audits;
    bool judging = false;
    std::vector<Done> waiting;
    std::shared_ptr<const v1::GetVerdictResponse> answer;
    MonotonicTime answered_at{};
    WallTime judged_at{};  // what the waivers were looked at
    std::uint64_t used = 0;
  };
  // A question that waits for fresh facts.
  struct Refreshing {
    Refreshing(EventLoop* loop, Fleet* fleet) : facts(loop, fleet) {}
    FreshFacts facts;
    Key key;
    Done done;
  };
  // One pass over a set, on its way through the worker.
  struct Pass;

  static Key KeyOf(Question question);
  // By a pass that begins after this.
  void AnswerAnew(const Key& key, Done done);
  std::vector<std::string> HostsToAsk(const Question& question) const;
  std::shared_ptr<Standing> StandingOf(const Key& key);
  Mark MarkOf(const std::string& host, Duration max_age, MonotonicTime now) const;
  bool SwitchesChanged(const Standing& standing) const;
  enum class Change { kNone, kSome, kFactsTooOld };
  Change WhatChanged(const Key& key, const Standing& standing) const;
  // The last answer as of now: its readings have grown older, or were made again since.
  v1::GetVerdictResponse AsOfNow(const Key& key, const Standing& standing) const;
  void BeginPass(const Key& key, const std::shared_ptr<Standing>& standing);
  void Judged(const Key& key, const std::shared_ptr<Standing>& standing, Pass& pass);
  Worker* WorkerOf(const Key& key) const;
  void ForgetOldest(const Standing& but);

  const Tools tools_;
  std::map<Key, std::shared_ptr<Standing>> standing_;
  std::list<Refreshing> refreshing_;
  std::uint64_t questions_ = 0;
  std::size_t passes_ = 0;
  bool closed_ = false;
};

}  // namespace roceready
