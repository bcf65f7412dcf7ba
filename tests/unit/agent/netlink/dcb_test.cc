// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/dcb.h"

#include <gmock/gmock.h>
#include <linux/rtnetlink.h>

#include <cerrno>

#include "tests/unit/agent/netlink/recorded.h"

namespace roceready::netlink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The answer of a test device on kernel 6.1 after `dcb pfc set prio-pfc 4:on` and six `dcb app
// add`. It has no buffer-less gaps: ETS, PFC, maxrate, buffer, APP and the DCBX byte are all there.
constexpr std::string_view kTestDevice =
    "00150000 0a000100 64636274 30000000 80010d00"
    "3f000100 0008000d 0d0d0d0c 0c0c0c00 00000000 00000002 02020202 02020200 01020304 05060700"
    "00000000 00000000 00000000 00000000 00000000 00000000"
    "44000700 0000000000000000 0000000000000000 0000000000000000 00e1f50500000000"
    "0000000000000000 0000000000000000 0000000000000000 0000000000000000"
    "8c000200 08100000 07000000"
    "0000000000000000 0000000000000000 0000000000000000 0b00000000000000"
    "0000000000000000 0000000000000000 0000000000000000 0000000000000000"
    "0000000000000000 0000000000000000 0000000000000000 1600000000000000"
    "0000000000000000 0000000000000000 0000000000000000 0000000000000000"
    "30000a00 0000000100000000 204e0000 70820300 00000000 00000000 00000000 00000000 00000000"
    "00000000 70ff0300"
    "3c000300 08000100 01010000 08000100 0202bc0c 08000100 0404b712 08000100 0303b712"
    "08000100 01031589 08000100 05063000 08000100 05031a00"
    "05000e00 09000000";

// The message with only the given attributes inside DCB_ATTR_IEEE (13), for dev "d".
Message WithIeee(std::string_view ieee_hex) {
  const Bytes inner = *BytesOfHex(ieee_hex);
  PayloadBuilder payload;
  payload.PutHeader(std::array<uint8_t, 4>{0, 21, 0, 0}).PutString(1, "d").PutBytes(13, inner);
  return {.type = RTM_GETDCB, .payload = payload.Take()};
}

TEST(Dcb, RequestIsTheOneThatIproute2Sends) {
  const Request request = DcbIeeeRequest("dcbt0");
  EXPECT_EQ(request.type, 78);
  EXPECT_FALSE(request.dump);
  EXPECT_EQ(HexOfBytes(request.payload),
            "00150000"
            "0a000100"
            "646362743000"
            "0000");
}

TEST(Dcb, EveryFieldOfARecordedAnswer) {
  const auto state = DecodeDcbIeee(MessageOf(RTM_GETDCB, kTestDevice));
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->netdev, "dcbt0");

  ASSERT_TRUE(state->ets.has_value());
  EXPECT_FALSE(state->ets->willing);
  EXPECT_EQ(state->ets->capable_classes, 8);
  EXPECT_FALSE(state->ets->credit_based_shaper);
  EXPECT_THAT(state->ets->tx_bandwidth_percent, ElementsAre(13, 13, 13, 13, 12, 12, 12, 12));
  EXPECT_THAT(state->ets->rx_bandwidth_percent, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(state->ets->selection_algorithm, ElementsAre(2, 2, 2, 2, 2, 2, 2, 2));
  EXPECT_THAT(state->ets->priority_to_class, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(state->ets->recommended_bandwidth_percent, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));

  ASSERT_TRUE(state->pfc.has_value());
  EXPECT_EQ(state->pfc->capable_classes, 8);
  EXPECT_EQ(state->pfc->enabled_priorities, 1 << 4);
  EXPECT_FALSE(state->pfc->macsec_bypass);
  EXPECT_EQ(state->pfc->delay, 7);
  EXPECT_THAT(state->pfc->requests_sent, ElementsAre(0, 0, 0, 11, 0, 0, 0, 0));
  EXPECT_THAT(state->pfc->indications_received, ElementsAre(0, 0, 0, 22, 0, 0, 0, 0));

  ASSERT_TRUE(state->maxrate_kbps.has_value());
  EXPECT_THAT(*state->maxrate_kbps, ElementsAre(0, 0, 0, 100000000, 0, 0, 0, 0));

  ASSERT_TRUE(state->buffer.has_value());
  EXPECT_THAT(state->buffer->priority_to_buffer, ElementsAre(0, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(state->buffer->buffer_bytes, ElementsAre(20000, 230000, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(state->buffer->total_bytes, 262000u);

  ASSERT_TRUE(state->app.has_value());
  EXPECT_THAT(*state->app, UnorderedElementsAre(DcbAppEntry{1, 1, 0}, DcbAppEntry{2, 2, 3260},
                                                DcbAppEntry{4, 4, 4791}, DcbAppEntry{3, 3, 4791},
                                                DcbAppEntry{1, 3, 0x8915}, DcbAppEntry{5, 6, 48},
                                                DcbAppEntry{5, 3, 26}));
  EXPECT_EQ(state->dcbx, 0x09);
  EXPECT_FALSE(state->peer_ets.has_value());
  EXPECT_FALSE(state->peer_pfc.has_value());
  EXPECT_FALSE(state->peer_app.has_value());
  EXPECT_FALSE(state->app_trust.has_value());
}

TEST(Dcb, LinkPartnerOfARecordedGuest) {
  FakeTransport route = Guest("route");
  const auto state = ReadDcb(route, "eth0");
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->pfc->enabled_priorities, 1 << 3);
  EXPECT_THAT(state->pfc->requests_sent, ElementsAre(0, 0, 0, 22, 0, 0, 0, 0));
  EXPECT_THAT(state->pfc->indications_received, ElementsAre(0, 0, 0, 11, 0, 0, 0, 0));
  EXPECT_THAT(state->ets->tx_bandwidth_percent, ElementsAre(40, 0, 0, 60, 0, 0, 0, 0));
  EXPECT_THAT(state->ets->selection_algorithm, ElementsAre(2, 0, 0, 2, 0, 0, 0, 0));
  // iproute2 6.1 sets 1 Gbit/s as 125000000 "kbit/s": the kernel's number is shown as it is.
  EXPECT_THAT(*state->maxrate_kbps, ElementsAre(0, 0, 0, 125000000, 0, 0, 0, 0));
  ASSERT_TRUE(state->peer_pfc.has_value());
  EXPECT_EQ(state->peer_pfc->enabled_priorities, 1 << 3);
  ASSERT_TRUE(state->peer_app.has_value());
  EXPECT_THAT(*state->peer_app, UnorderedElementsAre(DcbAppEntry{5, 3, 26}, DcbAppEntry{5, 6, 48}));
  EXPECT_EQ(*ReadDcbx(route, "eth0"), 0x09);
}

TEST(Dcb, DevicesWithoutDcbAreUnsupported) {
  FakeTransport route = Guest("route");
  for (const std::string netdev : {"lo", "eth0.100", "bond0", "vetha"}) {
    EXPECT_EQ(ErrnoOf(ReadDcb(route, netdev).status()), EOPNOTSUPP) << netdev;
  }
}

TEST(Dcb, MissingAttributesStayMissing) {
  const auto state = DecodeDcbIeee(WithIeee("0400 0300"));
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_FALSE(state->pfc.has_value());
  EXPECT_FALSE(state->ets.has_value());
  EXPECT_FALSE(state->dcbx.has_value());
  ASSERT_TRUE(state->app.has_value());
  EXPECT_THAT(*state->app, IsEmpty());
}

TEST(Dcb, TrustOrderAndPcpEntriesOfLaterKernels) {
  // Composed after net/dcb/dcbnl.c of 6.12: nests with NLA_F_NESTED; selector 255 (PCP) has its own
  // attribute type 2, an unknown selector type 0.
  const auto state =
      DecodeDcbIeee(WithIeee("1c00 0380 0800 0100 05031a00 0800 0200 ff030800 0800 0000 09010700"
                             "1400 0b80 0500 0100 05000000 0500 0200 ff000000"));
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_THAT(*state->app,
              ElementsAre(DcbAppEntry{5, 3, 26}, DcbAppEntry{255, 3, 8}, DcbAppEntry{9, 1, 7}));
  ASSERT_TRUE(state->app_trust.has_value());
  EXPECT_THAT(*state->app_trust, ElementsAre(5, 255));
}

TEST(Dcb, StructsOfAnotherSizeAreRefused) {
  // PFC of 4 bytes, an APP entry of 3 and of 5 bytes, a trust selector of 2 bytes.
  for (const std::string_view hex :
       {"0800 0200 08080000", "0c00 0300 0700 0100 05031a00",
        "1000 0300 0900 0100 05031a0000 000000", "0c00 0b00 0600 0100 05ff0000"}) {
    EXPECT_EQ(DecodeDcbIeee(WithIeee(hex)).status().code(), absl::StatusCode::kDataLoss) << hex;
  }
}

TEST(Dcb, NotificationDecodesLikeAnAnswer) {
  Message message = MessageOf(RTM_SETDCB, kTestDevice);
  message.payload[1] = 20;  // DCB_CMD_IEEE_SET
  const auto state = DecodeDcbIeee(message);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->netdev, "dcbt0");
}

TEST(Dcb, OtherMessagesCommandsAndNamesAreRefused) {
  EXPECT_FALSE(DecodeDcbIeee(MessageOf(RTM_NEWLINK, kTestDevice)).ok());
  Message other_command = MessageOf(RTM_GETDCB, kTestDevice);
  other_command.payload[1] = 26;  // DCB_CMD_CEE_GET
  EXPECT_FALSE(DecodeDcbIeee(other_command).ok());
  EXPECT_FALSE(DecodeDcbIeee(MessageOf(RTM_GETDCB, "00150000 05000e00 09000000")).ok());
  FakeTransport route;
  route.Answer(DcbIeeeRequest("eth7"), {MessageOf(RTM_GETDCB, kTestDevice)});
  EXPECT_EQ(ReadDcb(route, "eth7").status().code(), absl::StatusCode::kDataLoss);
}

TEST(Dcb, CutAnswersAreRefused) {
  ExpectCutsAreRefused(MessageOf(RTM_GETDCB, kTestDevice), 4, &DecodeDcbIeee);
}

}  // namespace
}  // namespace roceready::netlink
