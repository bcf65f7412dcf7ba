// SPDX-License-Identifier: Apache-2.0
// The archive of switches: notes on the event loop which ones have changed, and writes what the
// book has of them with the store on the store's thread. What waits is names, each once; what the
// disk does not take is tried again, less and less often.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "controller/audit/work_thread.h"
#include "controller/fleet/switch_archive.h"
#include "controller/fleet/switch_book.h"
#include "controller/store/store.h"

namespace roceready {

class SwitchKeeper final : public SwitchArchive {
 public:
  static constexpr Duration kFirstPause = std::chrono::seconds(1);
  static constexpr Duration kLongestPause = std::chrono::minutes(1);

  // Not owned; all outlive the keeper, and the worker's thread has ended before `store` does.
  struct Tools {
    EventLoop* loop = nullptr;
    Worker* worker = nullptr;
    Store* store = nullptr;
    SwitchBook* switches = nullptr;
    MomentClock moments;
  };

  explicit SwitchKeeper(Tools tools) : tools_(std::move(tools)) {}

  // Gives the book what is kept, with its age. Blocks; before the loop runs.
  absl::Status TakeUp();

  void Keep(const std::vector<std::string>& names, std::function<void()> tried) override;

  // The loop has stopped: gives the worker all that waits, once.
  void HandOverAll();

 private:
  struct Pass;

  void TryNext();
  std::shared_ptr<Pass> TakeWaiting();
  static absl::Status Write(Store* store, const Pass& pass);
  void Tried(const Pass& pass, const absl::Status& status);
  void NoteHealth(const absl::Status& status);

  const Tools tools_;
  std::set<std::string> waiting_;
  // Of whoever waits for the next try.
  std::vector<std::function<void()>> asked_;
  bool trying_ = false;
  // The pause after a try that failed.
  bool resting_ = false;
  bool failing_ = false;
  Duration pause_ = kFirstPause;
};

}  // namespace roceready
