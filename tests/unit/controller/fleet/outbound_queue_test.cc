// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/outbound_queue.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

v1::ConnectResponse Ping(std::uint64_t nonce) {
  v1::ConnectResponse message;
  message.mutable_ping()->set_nonce(nonce);
  return message;
}

v1::ConnectResponse Wanted(std::uint64_t since, bool collect_now, std::uint64_t request) {
  v1::ConnectResponse message;
  message.mutable_facts_wanted()->set_since_generation(since);
  message.mutable_facts_wanted()->set_collect_now(collect_now);
  message.mutable_facts_wanted()->set_request(request);
  return message;
}

v1::ConnectResponse Arm(std::uint32_t phase) {
  v1::ConnectResponse message;
  message.mutable_arm_phase()->set_phase(phase);
  return message;
}

TEST(OutboundQueue, KeepsTheOrderOfOrders) {
  OutboundQueue queue;
  ASSERT_TRUE(queue.Push(Arm(1)));
  ASSERT_TRUE(queue.Push(Arm(2)));
  EXPECT_EQ(queue.Pop()->arm_phase().phase(), 1u);
  EXPECT_EQ(queue.Pop()->arm_phase().phase(), 2u);
  EXPECT_FALSE(queue.Pop().has_value());
}

TEST(OutboundQueue, OnlyTheLatestPingWaits) {
  OutboundQueue queue;
  ASSERT_TRUE(queue.Push(Ping(1)));
  ASSERT_TRUE(queue.Push(Arm(1)));
  ASSERT_TRUE(queue.Push(Ping(2)));
  EXPECT_EQ(queue.Pop()->ping().nonce(), 2u);
  EXPECT_TRUE(queue.Pop()->has_arm_phase());
  EXPECT_TRUE(queue.empty());
}

TEST(OutboundQueue, AMergedQuestionAsksForWhatBothAskedFor) {
  OutboundQueue queue;
  ASSERT_TRUE(queue.Push(Wanted(0, false, 7)));
  ASSERT_TRUE(queue.Push(Wanted(3, true, 4)));
  const v1::FactsWanted wanted = queue.Pop()->facts_wanted();
  EXPECT_EQ(wanted.since_generation(), 0u);
  EXPECT_TRUE(wanted.collect_now());
  EXPECT_EQ(wanted.request(), 7u);
  EXPECT_TRUE(queue.empty());
}

TEST(OutboundQueue, RefusesWhatASlowReaderWouldLetPileUp) {
  OutboundQueue queue;
  for (std::size_t i = 0; i < OutboundQueue::kLimit; ++i) ASSERT_TRUE(queue.Push(Arm(1)));
  EXPECT_FALSE(queue.Push(Arm(1)));
  EXPECT_FALSE(queue.Push(Ping(1)));
}

}  // namespace
}  // namespace roceready
