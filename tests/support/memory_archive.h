// SPDX-License-Identifier: Apache-2.0
// Archives for tests. That of audits takes or refuses them as it is told, at once or when the test
// comes to it; that of switches notes their names.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controller/audit/audit_archive.h"
#include "controller/audit/audit_run.h"
#include "controller/fleet/switch_archive.h"

namespace roceready {

class MemoryArchive final : public AuditArchive {
 public:
  void Begin(const AuditRun& audit, Done done) override {
    begun.push_back(audit.id());
    if (holds) {
      held_.push_back(std::move(done));
    } else {
      done(answer);
    }
  }
  void End(std::shared_ptr<const AuditRun> audit) override { ended.push_back(std::move(audit)); }

  // Answers all that it holds.
  void AnswerHeld() {
    for (const Done& done : std::exchange(held_, {})) done(answer);
  }

  absl::Status answer;
  bool holds = false;
  std::vector<AuditId> begun;
  std::vector<std::shared_ptr<const AuditRun>> ended;

 private:
  std::vector<Done> held_;
};

class MemorySwitchArchive final : public SwitchArchive {
 public:
  void Keep(const std::vector<std::string>& names, std::function<void()> tried) override {
    kept.insert(kept.end(), names.begin(), names.end());
    tried();
  }

  std::vector<std::string> kept;
};

}  // namespace roceready
