// SPDX-License-Identifier: Apache-2.0
// Where audits are kept over a restart, as AuditBook sees it. Called on the event loop.
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <memory>

namespace roceready {

class AuditRun;

class AuditArchive {
 public:
  using Done = std::function<void(absl::Status)>;

  virtual ~AuditArchive() = default;

  // Keeps an audit that is about to be queued. `done` runs on the loop, now or later: OK once it is
  // on disk; otherwise nobody is to hear of the audit.
  virtual void Begin(const AuditRun& audit, Done done) = 0;

  // Keeps what an audit has ended with, now or when the disk can take it again.
  virtual void End(std::shared_ptr<const AuditRun> audit) = 0;
};

}  // namespace roceready
