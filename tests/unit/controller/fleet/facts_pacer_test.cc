// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/facts_pacer.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

using std::chrono::seconds;

constexpr MonotonicTime kStart{seconds(1000)};

v1::FactsWanted Question(std::uint64_t request) {
  v1::FactsWanted wanted;
  wanted.set_request(request);
  return wanted;
}

std::vector<StreamId> StreamsOf(const std::vector<std::pair<StreamId, v1::FactsWanted>>& released) {
  std::vector<StreamId> streams;
  for (const auto& [stream, wanted] : released) streams.push_back(stream);
  return streams;
}

TEST(FactsPacer, LetsOnlySoManySendAtOnce) {
  FactsPacer pacer(2, seconds(3));
  for (StreamId stream : {1, 2, 3, 4}) pacer.Ask(stream, Question(0));
  EXPECT_EQ(StreamsOf(pacer.Release(kStart)), (std::vector<StreamId>{1, 2}));
  EXPECT_TRUE(pacer.Release(kStart).empty());
  pacer.Answered(1);
  EXPECT_EQ(StreamsOf(pacer.Release(kStart)), (std::vector<StreamId>{3}));
  pacer.Forget(2);
  EXPECT_EQ(StreamsOf(pacer.Release(kStart)), (std::vector<StreamId>{4}));
}

TEST(FactsPacer, ASilentAgentHoldsUpOthersOnlyForItsPatience) {
  FactsPacer pacer(1, seconds(3));
  pacer.Ask(1, Question(0));
  pacer.Ask(2, Question(0));
  ASSERT_EQ(StreamsOf(pacer.Release(kStart)), (std::vector<StreamId>{1}));
  EXPECT_TRUE(pacer.Release(kStart + std::chrono::milliseconds(2999)).empty());
  EXPECT_EQ(StreamsOf(pacer.Release(kStart + seconds(3))), (std::vector<StreamId>{2}));
}

TEST(FactsPacer, MergesQuestionsToOneStreamAndWaitsForItsAnswer) {
  FactsPacer pacer(8, seconds(3));
  pacer.Ask(1, Question(1));
  ASSERT_EQ(pacer.Release(kStart).size(), 1u);
  pacer.Ask(1, Question(2));
  pacer.Ask(1, Question(3));
  EXPECT_TRUE(pacer.Release(kStart).empty());
  pacer.Answered(1);
  const auto released = pacer.Release(kStart);
  ASSERT_EQ(released.size(), 1u);
  EXPECT_EQ(released[0].second.request(), 3u);
}

TEST(FactsPacer, AWaitingStreamDoesNotHoldUpTheOnesBehindIt) {
  FactsPacer pacer(8, seconds(3));
  pacer.Ask(1, Question(1));
  ASSERT_EQ(pacer.Release(kStart).size(), 1u);
  pacer.Ask(1, Question(2));
  pacer.Ask(2, Question(3));
  EXPECT_EQ(StreamsOf(pacer.Release(kStart)), (std::vector<StreamId>{2}));
}

}  // namespace
}  // namespace roceready
