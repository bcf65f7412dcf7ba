// SPDX-License-Identifier: Apache-2.0
#include "controller/store/switch_keeper.h"

#include <algorithm>
#include <utility>

#include "proto/contract/errors.h"
#include "proto/process/logging.h"

namespace roceready {

struct SwitchKeeper::Pass {
  std::vector<KeptSwitch> put;
  std::vector<std::string> removed;
  std::vector<std::function<void()>> asked;
};

absl::Status SwitchKeeper::TakeUp() {
  ASSIGN_OR_RETURN(const std::vector<KeptSwitch> kept, tools_.store->Switches());
  const KeptMoment now = tools_.moments.Now();
  for (const KeptSwitch& one : kept) {
    tools_.switches->TakeUp(one.facts, now.monotonic - AgeOf(one.imported_at, now),
                            one.imported_by);
  }
  LogInfo("switches taken up", {{"switches", kept.size()}});
  return absl::OkStatus();
}

void SwitchKeeper::Keep(const std::vector<std::string>& names, std::function<void()> tried) {
  waiting_.insert(names.begin(), names.end());
  // Nobody waits for a disk that is full: it is tried again, and the log says so.
  if (resting_) return tried();
  asked_.push_back(std::move(tried));
  if (!trying_) TryNext();
}

std::shared_ptr<SwitchKeeper::Pass> SwitchKeeper::TakeWaiting() {
  auto pass = std::make_shared<Pass>();
  const auto& known = tools_.switches->switches();
  for (const std::string& name : std::exchange(waiting_, {})) {
    const auto found = known.find(name);
    if (found == known.end()) {
      pass->removed.push_back(name);
    } else {
      pass->put.push_back({found->second.facts, tools_.moments.At(found->second.imported_at),
                           found->second.imported_by});
    }
  }
  pass->asked = std::exchange(asked_, {});
  return pass;
}

absl::Status SwitchKeeper::Write(Store* store, const Pass& pass) {
  if (!pass.put.empty()) RETURN_IF_ERROR(store->PutSwitches(pass.put));
  for (const std::string& name : pass.removed) RETURN_IF_ERROR(store->RemoveSwitch(name));
  return absl::OkStatus();
}

void SwitchKeeper::TryNext() {
  resting_ = false;
  trying_ = !waiting_.empty();
  if (!trying_) return;
  auto status = std::make_shared<absl::Status>();
  const std::shared_ptr<const Pass> pass = TakeWaiting();
  tools_.worker->Run([store = tools_.store, pass, status] { *status = Write(store, *pass); },
                     [this, pass, status] { Tried(*pass, *status); });
}

void SwitchKeeper::Tried(const Pass& pass, const absl::Status& status) {
  NoteHealth(status);
  if (!status.ok()) {
    for (const KeptSwitch& one : pass.put) waiting_.insert(one.facts->name());
    waiting_.insert(pass.removed.begin(), pass.removed.end());
    resting_ = true;
    tools_.loop->RunAfter(pause_, [this] { TryNext(); });
    pause_ = std::min(2 * pause_, kLongestPause);
  } else {
    pause_ = kFirstPause;
  }
  for (const auto& tried : pass.asked) tried();
  if (!status.ok()) {
    for (const auto& tried : std::exchange(asked_, {})) tried();
    return;
  }
  TryNext();
}

void SwitchKeeper::NoteHealth(const absl::Status& status) {
  if (status.ok() != failing_) return;
  failing_ = !status.ok();
  if (failing_) {
    LogError("switches cannot be kept: a restart would forget them", {{"error", Message(status)}});
  } else {
    LogInfo("switches are kept again");
  }
}

void SwitchKeeper::HandOverAll() {
  if (waiting_.empty()) return;
  const std::shared_ptr<const Pass> pass = TakeWaiting();
  tools_.worker->Run(
      [store = tools_.store, pass] {
        const absl::Status kept = Write(store, *pass);
        if (!kept.ok()) LogError("switches are not kept", {{"error", Message(kept)}});
      },
      [] {});
}

}  // namespace roceready
