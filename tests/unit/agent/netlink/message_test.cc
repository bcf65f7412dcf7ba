// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/message.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>

#include <cerrno>

#include "agent/netlink/generic.h"
#include "tests/support/fake_netlink.h"

namespace roceready::netlink {
namespace {

absl::StatusOr<std::vector<Message>> Split(std::string_view hex) {
  const Bytes bytes = *BytesOfHex(hex);
  return SplitMessages(bytes);
}

Message Verdict(uint16_t type, uint16_t flags, std::string_view hex) {
  return {.type = type, .flags = flags, .payload = *BytesOfHex(hex)};
}

TEST(Messages, DatagramIsTakenApartAtThePaddedLengths) {
  const auto messages = Split(
      "11000000 0114 0200 07000000 2a000000 ff 000000"
      "10000000 0300 0200 07000000 2a000000");
  ASSERT_TRUE(messages.ok()) << messages.status();
  ASSERT_EQ(messages->size(), 2u);
  EXPECT_EQ((*messages)[0],
            (Message{.type = 0x1401, .flags = 2, .sequence = 7, .port = 42, .payload = {0xff}}));
  EXPECT_EQ((*messages)[1], (Message{.type = 3, .flags = 2, .sequence = 7, .port = 42}));
}

TEST(Messages, CutHeaderAndWrongLengthsAreRefused) {
  EXPECT_EQ(Split("10000000 0300").status().code(), absl::StatusCode::kDataLoss);
  // Shorter than a header, longer than the datagram.
  EXPECT_FALSE(Split("0f000000 0300 0200 07000000 2a000000").ok());
  EXPECT_FALSE(Split("11000000 0300 0200 07000000 2a000000").ok());
  EXPECT_TRUE(Split("").ok());
}

TEST(Verdicts, AcknowledgementIsNoError) {
  // As NETLINK_RDMA answered on kernel 6.1: error 0 and the request's header, capped.
  const auto verdict = DecodeVerdict(
      Verdict(NLMSG_ERROR, NLM_F_CAPPED, "00000000 20000000 0514 0500 92f20b6b 00000000"));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->error, 0);
}

TEST(Verdicts, RefusalGivesTheErrno) {
  // RTM_GETDCB of lo on kernel 6.18: the whole request is echoed, padded to 4 bytes.
  const auto verdict = DecodeVerdict(Verdict(
      NLMSG_ERROR, 0, "a1ffffff 1b000000 4e000500 07000000 00000000 00150000 07000100 6c6f0000"));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->error, EOPNOTSUPP);
  EXPECT_EQ(verdict->text, "");
}

TEST(Verdicts, ExtendedAcknowledgementFollowsTheEchoOrTheCappedHeader) {
  constexpr std::string_view kText = "0800 0100 62616400";
  const auto capped =
      DecodeVerdict(Verdict(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS,
                            "eaffffff 20000000 1a000500 07000000 00000000" + std::string(kText)));
  ASSERT_TRUE(capped.ok()) << capped.status();
  EXPECT_EQ(capped->error, EINVAL);
  EXPECT_EQ(capped->text, "bad");
  const auto echoed = DecodeVerdict(
      Verdict(NLMSG_ERROR, NLM_F_ACK_TLVS,
              "eaffffff 14000000 1a000500 07000000 00000000 aabbccdd" + std::string(kText)));
  ASSERT_TRUE(echoed.ok()) << echoed.status();
  EXPECT_EQ(echoed->text, "bad");
}

TEST(Verdicts, EndOfADumpMayCarryAnError) {
  EXPECT_EQ(DecodeVerdict(Verdict(NLMSG_DONE, NLM_F_MULTI, ""))->error, 0);
  EXPECT_EQ(DecodeVerdict(Verdict(NLMSG_DONE, NLM_F_MULTI, "00000000"))->error, 0);
  EXPECT_EQ(DecodeVerdict(Verdict(NLMSG_DONE, NLM_F_MULTI, "edffffff"))->error, ENODEV);
}

TEST(Verdicts, MalformedOnesAreRefused) {
  // Cut errno, no header, a positive and an impossible errno, an echo longer than the message.
  EXPECT_FALSE(DecodeVerdict(Verdict(NLMSG_ERROR, 0, "a1ff")).ok());
  EXPECT_FALSE(DecodeVerdict(Verdict(NLMSG_ERROR, 0, "a1ffffff 20000000")).ok());
  EXPECT_FALSE(DecodeVerdict(Verdict(NLMSG_DONE, 0, "05000000")).ok());
  EXPECT_FALSE(DecodeVerdict(Verdict(NLMSG_DONE, 0, "00000080")).ok());
  EXPECT_FALSE(
      DecodeVerdict(Verdict(NLMSG_ERROR, 0, "a1ffffff 40000000 4e000500 07000000 00000000")).ok());
}

TEST(GenericFamilies, NumberAndVersionAreRead) {
  const auto family = DecodeGenericFamily(
      {.payload = *BytesOfHex("0102 0000 0c00 0200 6465766c696e6b00 0600 0100 1500 0000"
                              "0800 0300 01000000")});
  ASSERT_TRUE(family.ok()) << family.status();
  EXPECT_EQ(family->id, 0x15);
  EXPECT_EQ(family->version, 1u);
}

TEST(GenericFamilies, AnswerWithoutANumberOrWithOneOfNetlinkItselfIsRefused) {
  EXPECT_FALSE(DecodeGenericFamily({.payload = *BytesOfHex("01020000")}).ok());
  EXPECT_FALSE(DecodeGenericFamily({.payload = *BytesOfHex("01020000 06000100 0f000000")}).ok());
  EXPECT_FALSE(DecodeGenericFamily({.payload = *BytesOfHex("0102")}).ok());
}

// Groups "config" with number 3 and "other" with number 4, as the kernel nests them.
constexpr std::string_view kTwoGroups =
    "01020000"
    "34000700"
    "18000100 08000200 03000000 0b000100 636f6e66696700 00"
    "18000200 08000200 04000000 0a000100 6f7468657200 0000";

TEST(GenericGroups, NumberIsFoundByTheName) {
  const Message answer{.payload = *BytesOfHex(kTwoGroups)};
  EXPECT_EQ(DecodeGenericGroup(answer, "config").value_or(0), 3u);
  EXPECT_EQ(DecodeGenericGroup(answer, "other").value_or(0), 4u);
  EXPECT_TRUE(absl::IsNotFound(DecodeGenericGroup(answer, "conf").status()));
  EXPECT_TRUE(absl::IsNotFound(
      DecodeGenericGroup({.payload = *BytesOfHex("01020000")}, "config").status()));
}

TEST(GenericGroups, CutAndNestedWrongAnswersAreRefused) {
  const Bytes whole = *BytesOfHex(kTwoGroups);
  for (size_t size = 0; size < whole.size(); ++size) {
    // Four bytes are a family that tells of no groups.
    const absl::Status status =
        DecodeGenericGroup({.payload = Bytes(whole.begin(), whole.begin() + size)}, "config")
            .status();
    EXPECT_EQ(status.code(), size == 4 ? absl::StatusCode::kNotFound : absl::StatusCode::kDataLoss)
        << "cut at " << size;
  }
  // A group that is longer than the list it is in; a number of two bytes.
  Bytes longer = whole;
  longer[8] = 0x40;
  EXPECT_TRUE(absl::IsDataLoss(DecodeGenericGroup({.payload = longer}, "config").status()));
  Bytes short_number = whole;
  short_number[12] = 0x06;
  EXPECT_TRUE(absl::IsDataLoss(DecodeGenericGroup({.payload = short_number}, "config").status()));
}

TEST(GenericFamilies, RequestNamesTheFamily) {
  const Request request = GenericFamilyRequest("ethtool");
  EXPECT_EQ(request.type, 16);
  EXPECT_FALSE(request.dump);
  EXPECT_EQ(HexOfBytes(request.payload),
            "03010000"
            "0c000200"
            "657468746f6f6c00");
}

TEST(Exchanges, ExactlyOneAnswerIsWanted) {
  FakeTransport fake;
  const Request request = GenericFamilyRequest("ethtool");
  fake.Answer(request, {});
  fake.Answer(request, {Message{}, Message{}});
  fake.Answer(request, {Message{.type = 16}});
  EXPECT_EQ(ExchangeOne(fake, request).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ExchangeOne(fake, request).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ExchangeOne(fake, request)->type, 16);
}

}  // namespace
}  // namespace roceready::netlink
