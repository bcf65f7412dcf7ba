// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/answer.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>

#include <cerrno>

namespace roceready::netlink {
namespace {

using State = AnswerReader::State;

constexpr uint32_t kAsked = 7;
constexpr uint16_t kData = 0x1401;

struct Part {
  uint16_t type = kData;
  uint16_t flags = NLM_F_MULTI;
  uint32_t sequence = kAsked;
  Bytes payload;
};

Bytes Datagram(const std::vector<Part>& parts) {
  PayloadBuilder datagram;
  for (const Part& part : parts) {
    PayloadBuilder payload;
    for (const uint8_t byte : part.payload) payload.PutHeader(std::array<uint8_t, 4>{byte});
    const Bytes body = payload.Take();
    datagram.PutHeader(nlmsghdr{.nlmsg_len = static_cast<uint32_t>(sizeof(nlmsghdr) + body.size()),
                                .nlmsg_type = part.type,
                                .nlmsg_flags = part.flags,
                                .nlmsg_seq = part.sequence});
    for (size_t i = 0; i < body.size(); i += 4) {
      datagram.PutHeader(std::array<uint8_t, 4>{body[i], body[i + 1], body[i + 2], body[i + 3]});
    }
  }
  return datagram.Take();
}

// NLMSG_DONE with errno 0, and NLMSG_ERROR 0 (an acknowledgement) with the echoed header.
Part Done(uint16_t flags = NLM_F_MULTI) {
  return {.type = NLMSG_DONE, .flags = flags, .payload = {0}};
}
Part Acknowledgement() {
  return {.type = NLMSG_ERROR, .flags = NLM_F_CAPPED, .payload = {0, 16, 0, 0, 0}};
}

TEST(Answers, DumpOverSeveralDatagramsEndsWithDone) {
  AnswerReader answer(kAsked);
  EXPECT_EQ(*answer.Take(Datagram({{.payload = {1}}, {.payload = {2}}})), State::kMore);
  EXPECT_EQ(*answer.Take(Datagram({{.payload = {3}}})), State::kMore);
  EXPECT_EQ(*answer.Take(Datagram({Done()})), State::kComplete);
  const auto messages = answer.TakeMessages();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[2].payload.at(0), 3);
}

TEST(Answers, EmptyDumpIsComplete) {
  AnswerReader answer(kAsked);
  EXPECT_EQ(*answer.Take(Datagram({Done()})), State::kComplete);
  EXPECT_TRUE(answer.TakeMessages().empty());
}

TEST(Answers, SingleObjectEndsWithTheAcknowledgement) {
  AnswerReader answer(kAsked);
  EXPECT_EQ(*answer.Take(Datagram({{.flags = 0, .payload = {1}}})), State::kMore);
  EXPECT_EQ(*answer.Take(Datagram({Acknowledgement()})), State::kComplete);
  EXPECT_EQ(answer.TakeMessages().size(), 1u);
}

TEST(Answers, AnswerMayEchoTheRequestsFlags) {
  // RTM_GETDCB does: NLM_F_REQUEST | NLM_F_ACK.
  AnswerReader answer(kAsked);
  EXPECT_EQ(*answer.Take(Datagram({{.type = 78, .flags = NLM_F_REQUEST | NLM_F_ACK}})),
            State::kMore);
  EXPECT_EQ(*answer.Take(Datagram({Acknowledgement()})), State::kComplete);
  EXPECT_EQ(answer.TakeMessages().size(), 1u);
}

TEST(Answers, MessagesOfAnotherRequestAreSkippedEvenTheirEnd) {
  AnswerReader answer(kAsked);
  Part late_end = Done();
  late_end.sequence = kAsked - 1;
  EXPECT_EQ(*answer.Take(Datagram({{.sequence = kAsked - 1, .payload = {9}}, late_end})),
            State::kMore);
  EXPECT_EQ(*answer.Take(Datagram({{.payload = {1}}, Done()})), State::kComplete);
  EXPECT_EQ(answer.TakeMessages().size(), 1u);
}

TEST(Answers, RefusalGivesTheErrno) {
  AnswerReader answer(kAsked);
  const uint8_t minus_nodev[] = {0xed, 0xff, 0xff, 0xff};
  PayloadBuilder datagram;
  datagram.PutHeader(nlmsghdr{.nlmsg_len = 36,
                              .nlmsg_type = NLMSG_ERROR,
                              .nlmsg_flags = NLM_F_CAPPED,
                              .nlmsg_seq = kAsked});
  datagram.PutHeader(minus_nodev);
  datagram.PutHeader(nlmsghdr{.nlmsg_len = 16});
  EXPECT_EQ(*answer.Take(datagram.Take()), State::kRefused);
  EXPECT_EQ(answer.verdict().error, ENODEV);
}

TEST(Answers, DumpThatChangedMeanwhileIsInterruptedWhereverTheMarkIs) {
  AnswerReader on_data(kAsked);
  EXPECT_EQ(*on_data.Take(Datagram({{.flags = NLM_F_MULTI | NLM_F_DUMP_INTR}})), State::kMore);
  EXPECT_EQ(*on_data.Take(Datagram({Done()})), State::kInterrupted);
  AnswerReader on_end(kAsked);
  EXPECT_EQ(*on_end.Take(Datagram({Done(NLM_F_MULTI | NLM_F_DUMP_INTR)})), State::kInterrupted);
}

TEST(Answers, OverrunIsLossAndNoOperationIsNothing) {
  AnswerReader lost(kAsked);
  EXPECT_EQ(*lost.Take(Datagram({{.type = NLMSG_OVERRUN}})), State::kLost);
  AnswerReader quiet(kAsked);
  EXPECT_EQ(*quiet.Take(Datagram({{.type = NLMSG_NOOP}, Done()})), State::kComplete);
  EXPECT_TRUE(quiet.TakeMessages().empty());
}

TEST(Answers, MalformedDatagramIsDataLoss) {
  AnswerReader answer(kAsked);
  Bytes cut = Datagram({{.payload = {1}}});
  cut.pop_back();
  EXPECT_EQ(answer.Take(cut).status().code(), absl::StatusCode::kDataLoss);
}

TEST(Answers, AnswerWithoutEndIsBounded) {
  AnswerReader answer(kAsked);
  const Bytes datagram = Datagram({{.sequence = kAsked + 1, .payload = Bytes(1 << 18)}});
  absl::StatusOr<State> state = State::kMore;
  for (int i = 0; i < 100 && state.ok(); ++i) state = answer.Take(datagram);
  EXPECT_EQ(state.status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace roceready::netlink
