// SPDX-License-Identifier: Apache-2.0
// Keeps the latest facts of every host over a restart, and what has changed in them: looks at the
// fleet on the event loop every few seconds, and writes with the store on the store's thread. A
// host has no queue: what is written is what it has then. Written is
//   - the facts whose configuration has changed, at the next look, with an event for each change,
//   - the facts of which only state has changed, kRewrite after the last time,
//   - of facts that were read again and are the same, when: kConfirm after the last time.
// What the disk does not take is tried again, less and less often.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/audit/work_thread.h"
#include "controller/fleet/fleet.h"
#include "controller/store/store.h"

namespace roceready {

class FactsKeeper {
 public:
  // A host is written at most so often, however often it changes.
  static constexpr Duration kLook = std::chrono::seconds(10);
  static constexpr Duration kRewrite = std::chrono::minutes(5);
  static constexpr Duration kConfirm = std::chrono::minutes(1);
  static constexpr Duration kLongestPause = std::chrono::minutes(2);
  // Hosts of one piece of work: audits wait for the store's thread meanwhile.
  static constexpr std::size_t kAtOnce = 32;
  static constexpr std::size_t kConfirmedAtOnce = 1'000;
  static constexpr std::size_t kEventsKept = 100'000;
  static constexpr std::size_t kEventsForgottenAtOnce = 1'000;
  // Older facts are no use after a restart, and a host that is gone is to be forgotten.
  static constexpr Duration kForgottenAfter = std::chrono::hours(24);

  // Not owned; all outlive the keeper, and the worker's thread has ended before `store` does.
  struct Tools {
    EventLoop* loop = nullptr;
    Worker* worker = nullptr;
    Store* store = nullptr;
    Fleet* fleet = nullptr;
    MomentClock moments;
  };

  // Of events only the last `events_kept` stay in the store.
  explicit FactsKeeper(Tools tools, std::size_t events_kept = kEventsKept)
      : tools_(std::move(tools)), events_kept_(events_kept) {}

  // Gives the fleet what is kept, with its age, and forgets what is too old. Blocks; before the
  // loop runs.
  absl::Status TakeUp();
  // Begins to look.
  void Begin() { Look(); }
  // The loop has stopped: gives the worker all that is not written yet, once.
  void HandOverAll();

 private:
  // What is known to be in the store of one host.
  struct Kept {
    // The last facts that were looked at: they have the configuration of the stored ones.
    std::shared_ptr<const FactParts> seen;
    // The same, but where a source did not answer, with what it said last.
    std::shared_ptr<const FactParts> known;
    std::string digest;       // of the stored ones
    MonotonicTime read_at{};  // as stored
    MonotonicTime written_at{};
  };
  struct Changed;
  // One piece of work, on its way through the worker.
  struct Pass;

  void Look();
  std::shared_ptr<Pass> WhatIsDue(std::size_t changed_at_most, std::size_t confirmed_at_most) const;
  static absl::Status Write(Store* store, std::size_t events_kept, Pass* pass);
  void Written(Pass& pass);
  void NoteHealth(const absl::Status& status);

  const Tools tools_;
  const std::size_t events_kept_;
  std::map<std::string, Kept, std::less<>> kept_;
  // What the worker has.
  std::shared_ptr<const Pass> under_way_;
  bool failing_ = false;
  Duration pause_ = kLook;
};

}  // namespace roceready
