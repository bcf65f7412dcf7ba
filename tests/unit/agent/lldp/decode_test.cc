// SPDX-License-Identifier: Apache-2.0
// Recorded frames come from an lldpd (frames.h); all others are composed from IEEE 802.1AB,
// 802.1Qaz and the CEE DCBX specification.
#include "agent/lldp/decode.h"

#include <gmock/gmock.h>

#include "tests/unit/agent/lldp/frames.h"

namespace roceready::lldp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Frame Decoded(const Bytes& bytes) {
  auto frame = DecodeFrame(bytes);
  EXPECT_TRUE(frame.ok()) << frame.status();
  return frame.ok() ? *std::move(frame) : Frame{};
}
Lldpdu Said(std::string_view tlvs) { return Decoded(FrameWith(tlvs)).said; }

// An organisation's TLV from its OUI on, with the right length before it.
std::string Organisation(std::string_view hex) {
  const Bytes value = BytesOf(hex);
  return fmt::format("{:04x}{}", 127 << 9 | value.size(), hex);
}
std::string Ieee8021(std::string_view hex) { return Organisation("0080c2" + std::string(hex)); }

std::string RefusalOf(const Bytes& lldpdu) {
  const auto said = DecodeLldpdu(lldpdu);
  EXPECT_EQ(said.status().code(), absl::StatusCode::kDataLoss) << said.status();
  return std::string(Message(said.status()));
}

TEST(LldpDecode, FrameOfASonicSwitchSaysWhoAndWhereAndNothingOfDcbx) {
  const Frame frame = Decoded(BytesOf(kPlainFrame));
  EXPECT_EQ(frame.destination, "01:80:c2:00:00:0e");
  EXPECT_EQ(frame.source, "52:54:00:aa:00:01");
  const Lldpdu& said = frame.said;
  EXPECT_EQ(said.chassis, (Identifier{4, "52:54:00:aa:00:01"}));
  EXPECT_EQ(said.port, (Identifier{7, "etp1"}));
  EXPECT_EQ(said.ttl_seconds, 4);
  EXPECT_EQ(said.system_name, "leaf1");
  EXPECT_EQ(said.system_description, "SONiC Software Version: test");
  EXPECT_EQ(said.port_description, "vA");
  EXPECT_EQ(said.enabled_capabilities, 0x0080);
  EXPECT_THAT(said.management_addresses, ElementsAre("192.0.2.1", "fe80::5054:ff:febb:1"));
  EXPECT_EQ(said.aggregation, (Aggregation{.capable = true, .enabled = false, .port = 0}));
  EXPECT_TRUE(absl::IsNotFound(said.pfc.status()));
  EXPECT_TRUE(absl::IsNotFound(said.ets.status()));
  EXPECT_TRUE(absl::IsNotFound(said.ets_recommendation.status()));
  EXPECT_TRUE(absl::IsNotFound(said.app.status()));
  EXPECT_FALSE(said.cee.has_value());
  EXPECT_FALSE(said.max_frame_bytes.has_value());
  EXPECT_THAT(said.refused, IsEmpty());
}

TEST(LldpDecode, FrameWithIeeeAndCeeDcbxSaysBoth) {
  const Lldpdu said = Decoded(BytesOf(kDcbxFrame)).said;
  ASSERT_TRUE(said.pfc.ok()) << said.pfc.status();
  EXPECT_EQ(*said.pfc, (Pfc{.willing = false,
                            .macsec_bypass = false,
                            .capable_classes = 8,
                            .enabled_priorities = 0x08}));
  const Ets half_half = {.capable_classes = 8,
                         .priority_to_class = {0, 0, 0, 1, 0, 0, 0, 0},
                         .bandwidth_percent = {50, 50, 0, 0, 0, 0, 0, 0},
                         .selection_algorithm = {2, 2, 0, 0, 0, 0, 0, 0}};
  ASSERT_TRUE(said.ets.ok());
  EXPECT_EQ(*said.ets, half_half);
  Ets recommended = half_half;
  recommended.capable_classes = 0;
  ASSERT_TRUE(said.ets_recommendation.ok());
  EXPECT_EQ(*said.ets_recommendation, recommended);
  ASSERT_TRUE(said.app.ok());
  EXPECT_THAT(*said.app, ElementsAre(AppEntry{3, 3, 4791}, AppEntry{5, 3, 26}));
  EXPECT_EQ(said.max_frame_bytes, 9216);
  EXPECT_THAT(said.vlans, ElementsAre(Vlan{100, "RoCE"}));
  ASSERT_TRUE(said.cee.has_value());
  ASSERT_TRUE(said.cee->pfc.ok());
  EXPECT_EQ(*said.cee->pfc, (CeePfc{.state = {.enabled = true, .willing = false, .error = false},
                                    .capable_classes = 8,
                                    .enabled_priorities = 0x08}));
  EXPECT_TRUE(absl::IsNotFound(said.cee->groups.status()));
  EXPECT_TRUE(absl::IsNotFound(said.cee->app.status()));
  EXPECT_THAT(said.refused, IsEmpty());
}

TEST(LldpDecode, LastFrameOfASpeakerHasNoTimeToLive) {
  const Lldpdu said = Decoded(BytesOf(kShutdownFrame)).said;
  EXPECT_EQ(said.ttl_seconds, 0);
  EXPECT_EQ(said.chassis.text, "52:54:00:aa:00:01");
  EXPECT_EQ(said.port.text, "etp1");
  EXPECT_FALSE(said.system_name.has_value());
}

TEST(LldpDecode, WillingPfcOnSeveralPrioritiesWithFewClasses) {
  const Lldpdu said = Said(Ieee8021("0b c2 18"));
  ASSERT_TRUE(said.pfc.ok());
  EXPECT_EQ(*said.pfc, (Pfc{.willing = true,
                            .macsec_bypass = true,
                            .capable_classes = 2,
                            .enabled_priorities = 0x18}));
}

TEST(LldpDecode, ClassCountOfZeroMeansEight) {
  EXPECT_EQ(Said(Ieee8021("0b 00 00")).pfc->capable_classes, 8);
  EXPECT_EQ(Said(Ieee8021("09 00 01234567 0000000000000064 ff01000000000002")).ets->capable_classes,
            8);
}

TEST(LldpDecode, EtsHasPriorityZeroInItsTopNibbleAndOneByteAClass) {
  const Lldpdu said = Said(Ieee8021("09 c3 01234567 0102030405060708 ff01000000000002"));
  ASSERT_TRUE(said.ets.ok());
  EXPECT_EQ(*said.ets, (Ets{.willing = true,
                            .credit_based_shaper = true,
                            .capable_classes = 3,
                            .priority_to_class = {0, 1, 2, 3, 4, 5, 6, 7},
                            .bandwidth_percent = {1, 2, 3, 4, 5, 6, 7, 8},
                            .selection_algorithm = {255, 1, 0, 0, 0, 0, 0, 2}}));
}

TEST(LldpDecode, AppHasEverySelectorAndMayBeEmpty) {
  const Lldpdu said = Said(Ieee8021("0c 00 218915 6212b7 8312b7 e412b7 4d002e 100007"));
  ASSERT_TRUE(said.app.ok());
  EXPECT_THAT(*said.app,
              ElementsAre(AppEntry{1, 1, 0x8915}, AppEntry{2, 3, 4791}, AppEntry{3, 4, 4791},
                          AppEntry{4, 7, 4791}, AppEntry{5, 2, 46}, AppEntry{0, 0, 7}));
  const Lldpdu none = Said(Ieee8021("0c 00"));
  ASSERT_TRUE(none.app.ok());
  EXPECT_THAT(*none.app, IsEmpty());
}

TEST(LldpDecode, CeeHasGroupsPfcAndApplications) {
  const Lldpdu said =
      Said(Organisation("001b2102 020a 0000 00000001 00000001"
                        "0411 0000c000 0000f100 3232000000000000 02"
                        "0606 0000a000 18 04"
                        "0810 00004000 8906 001b21 08 12b7 011b21 18"));
  ASSERT_TRUE(said.cee.has_value());
  ASSERT_TRUE(said.cee->groups.ok()) << said.cee->groups.status();
  EXPECT_EQ(*said.cee->groups,
            (CeePriorityGroups{.state = {.enabled = true, .willing = true, .error = false},
                               .capable_classes = 2,
                               .priority_to_group = {0, 0, 0, 0, 15, 1, 0, 0},
                               .bandwidth_percent = {50, 50, 0, 0, 0, 0, 0, 0}}));
  ASSERT_TRUE(said.cee->pfc.ok());
  EXPECT_EQ(*said.cee->pfc, (CeePfc{.state = {.enabled = true, .willing = false, .error = true},
                                    .capable_classes = 4,
                                    .enabled_priorities = 0x18}));
  ASSERT_TRUE(said.cee->app.ok()) << said.cee->app.status();
  EXPECT_FALSE(said.cee->app->state.enabled);
  EXPECT_TRUE(said.cee->app->state.willing);
  // An entry for each priority of its bitmap.
  EXPECT_THAT(said.cee->app->entries,
              ElementsAre(AppEntry{1, 3, 0x8906}, AppEntry{4, 3, 4791}, AppEntry{4, 4, 4791}));
}

TEST(LldpDecode, DcbxBeforeCeeIsRecognisedAndNotRead) {
  const Lldpdu said = Said(Organisation("001b2101 0600"));
  EXPECT_TRUE(said.sends_cin);
  EXPECT_FALSE(said.cee.has_value());
  EXPECT_FALSE(Said("").sends_cin);
}

TEST(LldpDecode, VlansAggregationAndFrameSize) {
  const Lldpdu said =
      Said(Ieee8021("01 0064") + Ieee8021("03 0064 02 4131") + Ieee8021("03 0fff 00") +
           Ieee8021("07 03 00000007") + Organisation("00120f04 2400"));
  EXPECT_EQ(said.port_vlan_id, 100);
  EXPECT_THAT(said.vlans, ElementsAre(Vlan{100, "A1"}, Vlan{4095, ""}));
  EXPECT_EQ(said.aggregation, (Aggregation{.capable = true, .enabled = true, .port = 7}));
  EXPECT_EQ(said.max_frame_bytes, 9216);
}

TEST(LldpDecode, IdentifiersAreAddressesNamesOrBytes) {
  const auto chassis = [](std::string_view id) {
    return DecodeLldpdu(BytesOf(std::string(id) + "0404 05457431 0602 0078 0000"))->chassis.text;
  };
  EXPECT_EQ(chassis("0206 0501c0000201"), "192.0.2.1");
  EXPECT_EQ(chassis("0212 0502 20010db8000000000000000000000001"), "2001:db8::1");
  EXPECT_EQ(chassis("0204 0561 6263"), "0x6263");  // a family that we do not know
  EXPECT_EQ(chassis("0205 07 6c656166"), "leaf");
  EXPECT_EQ(chassis("0203 07 ff00"), "0xff");
}

TEST(LldpDecode, TextIsShownWithoutWhatATerminalWouldObey) {
  EXPECT_EQ(Said("0a05 611b5b3262").system_name, "a [2b");
  EXPECT_EQ(Said("0a05 6c65616600").system_name, "leaf");
  EXPECT_EQ(Said("0a03 c3a900").system_name, "\u00e9");
  EXPECT_EQ(Said("0a02 c0af").system_name, "0xc0af");
  EXPECT_EQ(Said("0a02 c29b").system_name, " ");
  EXPECT_EQ(Said("0a00").system_name, "");
}

TEST(LldpDecode, UnknownTlvsArePassedOver) {
  const Lldpdu said = Said("1203 010203" + Organisation("0080c2 63 01") + Organisation("00112233"));
  EXPECT_THAT(said.refused, IsEmpty());
}

TEST(LldpDecode, WhatFollowsTheEndMarkOnlyFillsTheFrame) {
  Bytes bytes = FrameWith("");
  bytes.insert(bytes.end(), 30, 0xff);
  EXPECT_EQ(Decoded(bytes).said.port.text, "Et1");
}

TEST(LldpDecode, OtherEtherTypesAreNotLldp) {
  Bytes bytes = FrameWith("");
  bytes[13] = 0xcd;
  EXPECT_EQ(DecodeFrame(bytes).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(DecodeFrame(Bytes(13)).status().code(), absl::StatusCode::kDataLoss);
}

TEST(LldpRefuses, TlvThatIsLongerThanTheFrame) {
  EXPECT_THAT(RefusalOf(BytesOf(std::string(kMandatoryTlvs) + "0a05 6c65")),
              HasSubstr("byte 19: a TLV of type 5 says 5 bytes, 2 are left"));
  EXPECT_THAT(RefusalOf(BytesOf(std::string(kMandatoryTlvs) + "0a")),
              HasSubstr("byte 19: a TLV's header is cut"));
}

TEST(LldpRefuses, EndMarkWithAValue) {
  EXPECT_THAT(RefusalOf(BytesOf(std::string(kMandatoryTlvs) + "0001 00")), HasSubstr("byte 19"));
}

TEST(LldpRefuses, MandatoryTlvsThatAreMissingMovedOrDoubled) {
  EXPECT_THAT(RefusalOf({}), HasSubstr("ends before its chassis id"));
  EXPECT_THAT(RefusalOf(BytesOf("0000")), HasSubstr("ends before its chassis id"));
  EXPECT_THAT(RefusalOf(BytesOf("0404 05457431 0207 040c42a1000001 0602 0078 0000")),
              HasSubstr("byte 0: TLV of type 2 in place of the chassis id"));
  EXPECT_THAT(RefusalOf(BytesOf("0207 040c42a1000001 0404 05457431 0000")),
              HasSubstr("ends before its time to live"));
  EXPECT_THAT(RefusalOf(LldpduWith("0602 0078")),
              HasSubstr("byte 19: time to live given a second time"));
}

TEST(LldpRefuses, MandatoryTlvsOfAWrongSize) {
  const auto with_chassis = [](std::string_view tlv) {
    return BytesOf(std::string(tlv) + "0404 05457431 0602 0078 0000");
  };
  EXPECT_THAT(RefusalOf(with_chassis("0201 04")), HasSubstr("byte 0: chassis id of 1 bytes"));
  EXPECT_THAT(RefusalOf(with_chassis("0206 040c42a10000")),
              HasSubstr("byte 2: chassis id of subtype 4 with an address of 5 bytes"));
  EXPECT_THAT(RefusalOf(with_chassis("0205 0501c00002")), HasSubstr("byte 2"));
  EXPECT_THAT(RefusalOf(BytesOf("0207 040c42a1000001 0404 05457431 0601 78 0000")),
              HasSubstr("byte 17: time to live of 1 bytes ends 1 bytes too early"));
  EXPECT_THAT(RefusalOf(BytesOf("0207 040c42a1000001 0404 05457431 0603 007800 0000")),
              HasSubstr("byte 19: time to live of 3 bytes has 1 too many"));
}

struct BadTlv {
  const char* description;
  std::string tlv;
  const char* refusal;
};
void PrintTo(const BadTlv& bad, std::ostream* out) { *out << bad.description; }

// What is wrong in one TLV costs that TLV and no other: the frame's name and a good VLAN stay.
class MalformedTlv : public testing::TestWithParam<BadTlv> {};

TEST_P(MalformedTlv, IsNotUsedAndSaysAtWhichByte) {
  const Lldpdu said = Said(GetParam().tlv + "0a04 6c656166" + Ieee8021("03 0064 02 4131"));
  EXPECT_THAT(said.refused, ElementsAre(HasSubstr(GetParam().refusal)));
  EXPECT_EQ(said.system_name, "leaf");
  EXPECT_THAT(said.vlans, ElementsAre(Vlan{100, "A1"}));
  EXPECT_FALSE(said.pfc.ok());
  EXPECT_FALSE(said.ets.ok());
  EXPECT_FALSE(said.app.ok());
  EXPECT_FALSE(said.max_frame_bytes.has_value());
  EXPECT_FALSE(said.enabled_capabilities.has_value());
  EXPECT_THAT(said.management_addresses, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Lldp, MalformedTlv,
    testing::Values(
        BadTlv{"PFC of 5 bytes", Ieee8021("0b 08"), "byte 26: PFC configuration of 5 bytes"},
        BadTlv{"PFC of 7 bytes", Ieee8021("0b 08 08 00"), "byte 27: PFC configuration of 7 bytes"},
        BadTlv{"ETS cut", Ieee8021("09 00 00010000 3232000000000000 0202"),
               "byte 40: ETS configuration of 19 bytes ends 1 bytes too early"},
        BadTlv{"ETS of 26 bytes", Ieee8021("09 00 00010000 3232000000000000 0202000000000000 00"),
               "byte 46: ETS configuration of 26 bytes has 1 too many"},
        BadTlv{"APP cut inside an entry", Ieee8021("0c 00 6312b7 65"),
               "byte 30: APP priority table of 9 bytes"},
        BadTlv{"APP without its reserved byte", Ieee8021("0c"), "byte 25: APP priority table"},
        BadTlv{"VLAN name longer than its TLV", Ieee8021("03 0065 05 4131"), "byte 28: VLAN name"},
        BadTlv{"VLAN name with bytes behind it", Ieee8021("03 0065 01 4131"), "byte 29: VLAN name"},
        BadTlv{"frame size of one byte", Organisation("00120f04 24"), "byte 25: maximum frame"},
        BadTlv{"aggregation cut", Ieee8021("07 01 000000"), "byte 28: link aggregation"},
        BadTlv{"organisation's TLV without subtype", Organisation("0080c2"), "byte 19: an org"},
        BadTlv{"capabilities of 2 bytes", "0e02 0014", "byte 23: system capabilities"},
        BadTlv{"management address longer than its TLV", "1006 05 01c0000201", "byte 27: manag"},
        BadTlv{"IPv4 management address of 3 bytes", "100b 04 01c00002 02 00000001 00",
               "byte 22: management address of 4 bytes"},
        BadTlv{"port description given twice", "0801 61 0801 62", "byte 22: port description"}));

TEST(LldpRefuses, TextOfMoreThan255Bytes) {
  std::string tlv = "0b00";
  for (int i = 0; i < 256; ++i) tlv += "61";
  const Lldpdu said = Said(tlv);
  EXPECT_FALSE(said.system_name.has_value());
  EXPECT_THAT(said.refused, ElementsAre(HasSubstr("byte 19: system name of 256 bytes")));
}

TEST(LldpRefuses, PfcGivenTwiceIsNeither) {
  const Lldpdu said = Said(Ieee8021("0b 08 08") + Ieee8021("0b 08 00"));
  EXPECT_EQ(said.pfc.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(Message(said.pfc.status())),
              HasSubstr("byte 27: PFC configuration given a second time"));
}

TEST(LldpRefuses, CeeWhoseNestingIsWrongAsAWhole) {
  const Lldpdu said =
      Said(Organisation("001b2102 020a 0000 00000001 00000001 0607 0000a000 18 04"));
  ASSERT_TRUE(said.cee.has_value());
  EXPECT_EQ(said.cee->pfc.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(said.cee->app.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(said.refused,
              ElementsAre(HasSubstr("byte 37: a TLV of type 3 says 7 bytes, 6 are left")));
}

TEST(LldpRefuses, OneCeeFeatureAndKeepsTheOther) {
  const Lldpdu said =
      Said(Organisation("001b2102 0605 0000a000 18 0810 00004000 8906 001b21 08 12b7 021b21 18"));
  ASSERT_TRUE(said.cee.has_value());
  EXPECT_THAT(said.refused,
              ElementsAre(HasSubstr("byte 32: CEE PFC of 5 bytes ends 1 bytes too early"),
                          HasSubstr("byte 46: CEE application entry with selector 2")));
  EXPECT_TRUE(absl::IsNotFound(said.cee->groups.status()));
}

TEST(LldpRefuses, EveryCutOfARecordedFrameWithoutAWrongValue) {
  const Bytes whole = BytesOf(kDcbxFrame);
  const Frame expected = Decoded(whole);
  for (size_t size = 0; size < whole.size() - 2; ++size) {
    const auto cut = DecodeFrame(std::span(whole).first(size));
    if (!cut.ok()) continue;
    // Cut between two TLVs: what is left is said as before, and nothing else.
    const Lldpdu& said = cut->said;
    EXPECT_EQ(said.chassis, expected.said.chassis);
    EXPECT_EQ(said.ttl_seconds, expected.said.ttl_seconds);
    EXPECT_THAT(said.refused, IsEmpty()) << size;
    EXPECT_EQ(said.pfc.value_or(*expected.said.pfc), *expected.said.pfc);
    EXPECT_EQ(said.max_frame_bytes.value_or(9216), 9216);
  }
}

}  // namespace
}  // namespace roceready::lldp
