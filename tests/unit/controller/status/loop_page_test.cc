// SPDX-License-Identifier: Apache-2.0
#include "controller/status/loop_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"
#include "tests/unit/controller/status/recording_responder.h"

namespace roceready::status {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class LoopPageTest : public testing::Test {
 protected:
  std::shared_ptr<RecordingResponder> Ask() {
    auto responder = std::make_shared<RecordingResponder>();
    page_.Answer(responder);
    return responder;
  }

  FakeClock clock_;
  EventLoop loop_{&clock_, 1};
  LoopWatch watch_{&loop_};
  int made_ = 0;
  LoopPage page_{&loop_, &watch_, seconds(2), [this](const LoopPage::Done& done) {
                   done({.body = fmt::format("page {}", ++made_)});
                 }};
};

TEST_F(LoopPageTest, WhoAsksAtTheSameTimeGetsTheSamePage) {
  const auto first = Ask(), second = Ask();
  EXPECT_FALSE(first->sent || second->sent) << "only the loop knows it";
  loop_.RunPending();
  EXPECT_EQ(first->sent->body, "page 1");
  EXPECT_EQ(second->sent->body, "page 1");
  const auto third = Ask();
  loop_.RunPending();
  EXPECT_EQ(third->sent->body, "page 2");
}

TEST_F(LoopPageTest, ALoopThatDoesNotAnswerInTimeIsSaidToBeStuck) {
  const auto asked = Ask();
  clock_.Advance(seconds(7));
  asked->TimeIsUp();
  EXPECT_EQ(asked->sent->status, 503);
  EXPECT_THAT(asked->sent->body,
              HasSubstr("it last turned 7 s ago, and 1 of at most 1 tasks wait"));

  // And is heard of again when it goes on.
  const auto later = Ask();
  loop_.RunPending();
  EXPECT_EQ(later->sent->body, "page 1");
  EXPECT_EQ(asked->sent->status, 503);
}

TEST_F(LoopPageTest, AFullLoopIsSaidAtOnce) {
  ASSERT_TRUE(loop_.Post([] {}));
  EXPECT_EQ(Ask()->sent->status, 503);
  loop_.RunPending();
  const auto later = Ask();
  loop_.RunPending();
  EXPECT_EQ(later->sent->body, "page 1");
}

TEST_F(LoopPageTest, OnlySoManyWait) {
  std::vector<std::shared_ptr<RecordingResponder>> waiting;
  for (std::size_t i = 0; i < LoopPage::kMaxWaiting; ++i) waiting.push_back(Ask());
  EXPECT_EQ(Ask()->sent->status, 503);
  loop_.RunPending();
  for (const auto& responder : waiting) EXPECT_EQ(responder->sent->status, 200);
  const auto later = Ask();
  loop_.RunPending();
  EXPECT_EQ(later->sent->status, 200);
}

TEST_F(LoopPageTest, TheWatchCountsWhatTasksWaited) {
  RunFor(&clock_, &loop_, seconds(3));
  clock_.Advance(LoopWatch::kInterval + milliseconds(700));
  loop_.RunPending();
  const DurationHistogram& delays = watch_.delays();
  EXPECT_EQ(delays.counts().front(), 3u);
  EXPECT_EQ(delays.sum(), milliseconds(700));
}

}  // namespace
}  // namespace roceready::status
