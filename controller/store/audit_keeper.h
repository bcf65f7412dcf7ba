// SPDX-License-Identifier: Apache-2.0
// The archive of audits: takes calls on the event loop and does them with the store on the store's
// thread. An end that the disk does not take is tried again, less and less often, until it does; an
// audit that it does not take is refused. How the disk is doing is logged when that changes.
#pragma once

#include <deque>
#include <memory>

#include "controller/audit/audit_archive.h"
#include "controller/audit/audit_run.h"
#include "controller/audit/work_thread.h"
#include "controller/store/store.h"
#include "proto/process/event_loop.h"

namespace roceready {

class AuditKeeper final : public AuditArchive {
 public:
  static constexpr Duration kFirstPause = std::chrono::seconds(1);
  static constexpr Duration kLongestPause = std::chrono::minutes(1);
  // Ends that wait for the disk; no audit is begun beside more.
  static constexpr std::size_t kMaxWaiting = 1'000;
  // Audits that are forgotten at a time, and how soon the next ones are.
  static constexpr std::size_t kForgottenAtOnce = 20;
  static constexpr Duration kForgetPause = std::chrono::seconds(1);
  static constexpr std::size_t kKept = 10'000;

  // Not owned; all outlive the keeper, and the worker's thread has ended before `store` does.
  struct Tools {
    EventLoop* loop = nullptr;
    Worker* worker = nullptr;
    Store* store = nullptr;
  };

  // Of audits only the last `kept` stay in the store.
  explicit AuditKeeper(Tools tools, std::size_t kept = kKept) : tools_(tools), kept_(kept) {}

  void Begin(const AuditRun& audit, Done done) override;
  void End(std::shared_ptr<const AuditRun> audit) override;

  // The loop has stopped: gives the worker all that still waits, once each.
  void HandOverAll();

 private:
  void TryNext();
  void Tried(const absl::Status& status);
  void NoteHealth(const absl::Status& status);
  void ForgetOld();

  const Tools tools_;
  const std::size_t kept_;
  std::deque<std::shared_ptr<const AuditRun>> ends_;
  bool trying_ = false;  // the first of them, or its pause
  bool forgetting_ = false;
  bool failing_ = false;
  Duration pause_ = kFirstPause;
};

}  // namespace roceready
