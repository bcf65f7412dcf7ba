// SPDX-License-Identifier: Apache-2.0
// A worker that does nothing until the test tells it to.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "controller/audit/work_thread.h"

namespace roceready {

class HeldWorker final : public Worker {
 public:
  void Run(std::function<void()> work, std::function<void()> done) override {
    jobs_.push_back({std::move(work), std::move(done)});
  }
  void DoAll() {
    for (const auto& [work, done] : std::exchange(jobs_, {})) {
      work();
      done();
    }
  }

 private:
  std::vector<std::pair<std::function<void()>, std::function<void()>>> jobs_;
};

}  // namespace roceready
