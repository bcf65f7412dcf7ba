// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/work_thread.h"

#include <gtest/gtest.h>

#include <future>
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

TEST(WorkThread, DrainsWhatWaits) {
  SystemClock clock;
  EventLoop loop(&clock);
  loop.Stop();
  WorkThread worker(&loop);
  int done = 0;
  for (int i = 0; i < 100; ++i) worker.Run([&] { ++done; }, [] {});
  EXPECT_TRUE(worker.Drain(std::chrono::minutes(1)));
  EXPECT_EQ(done, 100);
}

TEST(WorkThread, ADrainHasAnEnd) {
  SystemClock clock;
  EventLoop loop(&clock);
  std::promise<void> enough;
  bool dropped = true;
  {
    WorkThread worker(&loop);
    worker.Run([&] { enough.get_future().wait(); }, [] {});
    worker.Run([&] { dropped = false; }, [] {});
    EXPECT_FALSE(worker.Drain(Duration::zero()));
    EXPECT_TRUE(dropped);
    enough.set_value();
  }
}

}  // namespace
}  // namespace roceready
