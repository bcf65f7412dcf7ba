// SPDX-License-Identifier: Apache-2.0
#include "proto/process/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/fake_clock.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EventLoopTest : public ::testing::Test {
 protected:
  void Note(const std::string& what) { seen_.push_back(what); }

  FakeClock clock_;
  EventLoop loop_{&clock_, /*capacity=*/3};
  std::vector<std::string> seen_;
};

TEST_F(EventLoopTest, RunsTasksInTheOrderTheyWerePosted) {
  ASSERT_TRUE(loop_.Post([&] { Note("a"); }));
  ASSERT_TRUE(loop_.Post([&] { Note("b"); }));

  EXPECT_EQ(loop_.RunPending(), 2u);

  EXPECT_THAT(seen_, ElementsAre("a", "b"));
}

TEST_F(EventLoopTest, RunsWhatATaskPosts) {
  ASSERT_TRUE(loop_.Post([&] { EXPECT_TRUE(loop_.Post([&] { Note("inner"); })); }));

  loop_.RunPending();

  EXPECT_THAT(seen_, ElementsAre("inner"));
}

TEST_F(EventLoopTest, RefusesTasksBeyondItsCapacityButNotControlTasks) {
  EXPECT_EQ(loop_.waiting(), 0u);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(loop_.Post([] {}));
  EXPECT_EQ(loop_.waiting(), 3u);

  EXPECT_FALSE(loop_.Post([&] { Note("too much"); }));
  loop_.PostControl([&] { Note("closed"); });
  loop_.RunPending();

  EXPECT_THAT(seen_, ElementsAre("closed"));
  EXPECT_TRUE(loop_.Post([] {}));
}

TEST_F(EventLoopTest, RunsTimersByTimeThenByOrderOfCreation) {
  loop_.RunAfter(seconds(2), [&] { Note("two"); });
  loop_.RunAfter(seconds(1), [&] { Note("one"); });
  loop_.RunAfter(seconds(2), [&] { Note("two again"); });

  RunFor(&clock_, &loop_, milliseconds(999));
  EXPECT_THAT(seen_, IsEmpty());
  RunFor(&clock_, &loop_, milliseconds(1));
  EXPECT_THAT(seen_, ElementsAre("one"));
  RunFor(&clock_, &loop_, seconds(1));
  EXPECT_THAT(seen_, ElementsAre("one", "two", "two again"));
}

TEST_F(EventLoopTest, CancelledTimerNeverRuns) {
  const auto timer = loop_.RunAfter(seconds(1), [&] { Note("one"); });

  EXPECT_TRUE(loop_.Cancel(timer));
  EXPECT_FALSE(loop_.Cancel(timer));
  RunFor(&clock_, &loop_, seconds(2));

  EXPECT_THAT(seen_, IsEmpty());
}

TEST_F(EventLoopTest, TimerMayCancelAnotherThatIsDueAtTheSameTime) {
  EventLoop::TimerId second = 0;
  loop_.RunAfter(seconds(1), [&] { EXPECT_TRUE(loop_.Cancel(second)); });
  second = loop_.RunAfter(seconds(1), [&] { Note("second"); });

  RunFor(&clock_, &loop_, seconds(1));

  EXPECT_THAT(seen_, IsEmpty());
}

TEST_F(EventLoopTest, TakesNothingAfterStop) {
  ASSERT_TRUE(loop_.Post([&] { Note("dropped"); }));

  loop_.Stop();

  EXPECT_FALSE(loop_.Post([&] { Note("late"); }));
  loop_.PostControl([&] { Note("late"); });
  loop_.RunPending();
  EXPECT_THAT(seen_, IsEmpty());
}

TEST(EventLoopThread, RunsWhatManyThreadsPostAndEndsWhenStopped) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  SystemClock clock;
  EventLoop loop(&clock);
  int count = 0;  // of the loop's thread alone
  std::thread runner([&] { loop.Run(); });
  std::vector<std::thread> posters;
  for (int i = 0; i < kThreads; ++i) {
    posters.emplace_back([&] {
      for (int n = 0; n < kEach; ++n) {
        loop.PostControl([&] {
          if (++count == kThreads * kEach) loop.Stop();
        });
      }
    });
  }

  for (std::thread& poster : posters) poster.join();
  runner.join();

  EXPECT_EQ(count, kThreads * kEach);
}

TEST(EventLoopThread, RunsATimerWithoutBeingWoken) {
  SystemClock clock;
  EventLoop loop(&clock);
  const MonotonicTime due = clock.Now() + milliseconds(5);
  MonotonicTime ran;
  loop.RunAt(due, [&] {
    ran = clock.Now();
    loop.Stop();
  });

  loop.Run();

  EXPECT_GE(ran, due);
}

// A wake-up reads the clock: with nothing to do until then there are few of them, however long it
// is.
class CountedClock final : public Clock {
 public:
  MonotonicTime Now() const override {
    ++reads;
    return clock_.Now();
  }
  WallTime Wall() const override { return clock_.Wall(); }
  mutable std::atomic<int> reads = 0;

 private:
  SystemClock clock_;
};

TEST(EventLoopThread, SleepsUntilThereIsSomethingToDo) {
  CountedClock clock;
  EventLoop loop(&clock);
  loop.RunAfter(milliseconds(1500), [&] { loop.Stop(); });
  const int before = clock.reads;

  loop.Run();

  // Two looks at the timer, and what a spurious wake-up or two may add.
  EXPECT_LE(clock.reads - before, 6);
}

}  // namespace
}  // namespace roceready
