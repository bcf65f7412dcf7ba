// SPDX-License-Identifier: Apache-2.0
#include "controller/store/audit_keeper.h"

#include <algorithm>
#include <utility>

#include "proto/contract/errors.h"
#include "proto/process/logging.h"

namespace roceready {
namespace {

// Of an audit that has ended, which nobody changes any more: on any thread.
absl::Status Keep(Store* store, const AuditRun& audit) {
  return store->EndAudit(audit.id(), audit.audit(), audit.findings(), audit.probe_results());
}

// What no second try can mend.
bool IsInVain(const absl::Status& status) {
  return status.code() == absl::StatusCode::kNotFound ||
         status.code() == absl::StatusCode::kAlreadyExists;
}

}  // namespace

void AuditKeeper::Begin(const AuditRun& audit, Done done) {
  if (ends_.size() >= kMaxWaiting) {
    return done(Unavailable("the ends of {} audits wait for the disk already", ends_.size()));
  }
  auto status = std::make_shared<absl::Status>();
  tools_.worker->Run([store = tools_.store, id = audit.id(), message = audit.audit(),
                      status] { *status = store->BeginAudit(id, message); },
                     [this, status, done = std::move(done)] {
                       NoteHealth(*status);
                       done(*status);
                     });
}

void AuditKeeper::End(std::shared_ptr<const AuditRun> audit) {
  ends_.push_back(std::move(audit));
  if (!trying_) TryNext();
}

void AuditKeeper::TryNext() {
  trying_ = !ends_.empty();
  if (!trying_) return;
  auto status = std::make_shared<absl::Status>();
  tools_.worker->Run(
      [store = tools_.store, audit = ends_.front(), status]() mutable {
        *status = Keep(store, *audit);
        // While `ends_` still has it: its end belongs to the loop.
        audit.reset();
      },
      [this, status] { Tried(*status); });
}

void AuditKeeper::Tried(const absl::Status& status) {
  NoteHealth(status);
  if (status.ok() || IsInVain(status)) {
    if (!status.ok()) {
      LogError("what an audit has found is not kept",
               {{"audit", ends_.front()->id().Text()}, {"error", Message(status)}});
    }
    ends_.pop_front();
    pause_ = kFirstPause;
    TryNext();
    ForgetOld();
    return;
  }
  tools_.loop->RunAfter(pause_, [this] { TryNext(); });
  pause_ = std::min(2 * pause_, kLongestPause);
}

void AuditKeeper::NoteHealth(const absl::Status& status) {
  const bool failed = !status.ok() && !IsInVain(status);
  if (failed == failing_) return;
  failing_ = failed;
  if (failed) {
    LogError("audits cannot be kept, and new ones are refused", {{"error", Message(status)}});
  } else {
    LogInfo("audits are kept again");
  }
}

void AuditKeeper::ForgetOld() {
  if (forgetting_) return;
  forgetting_ = true;
  auto gone = std::make_shared<absl::StatusOr<std::size_t>>(0);
  tools_.worker->Run([store = tools_.store, kept = kept_,
                      gone] { *gone = store->ForgetAudits(kept, kForgottenAtOnce); },
                     [this, gone] {
                       forgetting_ = false;
                       // A disk that fails is told of by what is to be written; the next end tries
                       // again.
                       if (!gone->ok() || **gone < kForgottenAtOnce) return;
                       tools_.loop->RunAfter(kForgetPause, [this] { ForgetOld(); });
                     });
}

void AuditKeeper::HandOverAll() {
  for (std::shared_ptr<const AuditRun>& audit : std::exchange(ends_, {})) {
    tools_.worker->Run(
        [store = tools_.store, audit = std::move(audit)] {
          const absl::Status kept = Keep(store, *audit);
          if (kept.ok()) return;
          LogError("what an audit has found is not kept",
                   {{"audit", audit->id().Text()}, {"error", Message(kept)}});
        },
        [] {});
  }
}

}  // namespace roceready
