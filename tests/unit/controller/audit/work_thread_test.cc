// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/work_thread.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace roceready {
namespace {

TEST(WorkThread, WorksElsewhereAndAnswersOnTheLoopInOrder) {
  SystemClock clock;
  EventLoop loop(&clock);
  std::vector<int> done;
  std::thread::id worked_on;
  auto worker = std::make_unique<WorkThread>(&loop);
  for (int i = 0; i < 100; ++i) {
    // The value goes to the other thread and comes back.
    auto value = std::make_shared<int>(i);
    worker->Run(
        [&worked_on, value] {
          worked_on = std::this_thread::get_id();
          *value *= 2;
        },
        [&, value, i] {
          done.push_back(*value);
          if (i == 99) loop.Stop();
        });
  }
  loop.Run();
  worker.reset();
  ASSERT_EQ(done.size(), 100u);
  EXPECT_EQ(done[99], 198);
  EXPECT_NE(worked_on, std::this_thread::get_id());
}

}  // namespace
}  // namespace roceready
