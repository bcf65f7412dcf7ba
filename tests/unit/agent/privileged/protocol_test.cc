// SPDX-License-Identifier: Apache-2.0
#include "agent/privileged/protocol.h"

#include <gtest/gtest.h>

namespace roceready::privileged {
namespace {

const Request kLldp = {.kind = Kind::kLldpSocket, .net_device_index = 7};
const Request kRoce = {.kind = Kind::kRoceSocket, .net_device_index = 9};
const Request kMlx5 = {.kind = Kind::kMlx5CongestionParameters, .pci_address = "0000:3b:00.0"};
const Request kBnxt = {.kind = Kind::kBnxtCongestionParameters, .pci_address = "0000:17:00.0"};
const Request kConfig = {.kind = Kind::kPciConfiguration, .pci_address = "0000:3a:01.0"};

bool IsRefused(const Request& request) {
  return absl::IsInvalidArgument(DecodeRequest(Encode(request)).status());
}

TEST(PrivilegedRequest, ComesThroughAsItWasSent) {
  for (const Request& request : {kLldp, kRoce, kMlx5, kBnxt, kConfig}) {
    const auto decoded = DecodeRequest(Encode(request));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(*decoded, request);
  }
}

TEST(PrivilegedRequest, IsOfAKindOnTheList) {
  EXPECT_TRUE(IsRefused({.kind = static_cast<Kind>(0), .net_device_index = 7}));
  EXPECT_TRUE(IsRefused({.kind = static_cast<Kind>(6), .net_device_index = 7}));
}

TEST(PrivilegedRequest, HasTheArgumentOfItsKindAndNoOther) {
  for (const Kind kind : {Kind::kLldpSocket, Kind::kRoceSocket}) {
    EXPECT_TRUE(IsRefused({.kind = kind}));
    EXPECT_TRUE(IsRefused({.kind = kind, .net_device_index = 7, .pci_address = "0000:3b:00.0"}));
  }
  for (const Kind kind : {Kind::kMlx5CongestionParameters, Kind::kBnxtCongestionParameters,
                          Kind::kPciConfiguration}) {
    EXPECT_TRUE(IsRefused({.kind = kind}));
    EXPECT_TRUE(IsRefused({.kind = kind, .net_device_index = 1, .pci_address = "0000:3b:00.0"}));
  }
}

TEST(PrivilegedRequest, HasNoPathInIt) {
  for (const char* address :
       {"..", "../../x", "/etc", "0000:3b:00.0/..", "0000:3b:00", "....:..:..."}) {
    EXPECT_TRUE(IsRefused({.kind = Kind::kMlx5CongestionParameters, .pci_address = address}))
        << address;
    EXPECT_TRUE(IsRefused({.kind = Kind::kPciConfiguration, .pci_address = address})) << address;
  }
}

TEST(PrivilegedRequest, OfAnotherSizeOrWithOtherBytesIsRefused) {
  const Bytes good = Encode(kMlx5);
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(DecodeRequest(std::span(good).first(size)).ok()) << size;
  }
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_FALSE(DecodeRequest(longer).ok());
  Bytes other_magic = good;
  other_magic[0] = 'X';
  EXPECT_FALSE(DecodeRequest(other_magic).ok());
  Bytes reserved = good;
  reserved[12] = 1;
  EXPECT_FALSE(DecodeRequest(reserved).ok());
  Bytes behind_the_end = good;
  behind_the_end.back() = 'x';
  EXPECT_FALSE(DecodeRequest(behind_the_end).ok());
}

TEST(PrivilegedReply, ComesThroughAsItWasSentAndCut) {
  const Reply reply = {.error = 13, .text = "no"};
  const auto decoded = DecodeReply(Encode(reply));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(*decoded, reply);
  const auto cut = DecodeReply(Encode(Reply{.text = std::string(2 * kLongestText, 'x')}));
  ASSERT_TRUE(cut.ok());
  EXPECT_EQ(cut->text.size(), kLongestText);
}

TEST(PrivilegedReply, ThatIsCutOrNegativeIsRefused) {
  const Bytes good = Encode(Reply{.error = 13, .text = "no"});
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(DecodeReply(std::span(good).first(size)).ok()) << size;
  }
  EXPECT_FALSE(DecodeReply(Encode(Reply{.error = -1})).ok());
}

}  // namespace
}  // namespace roceready::privileged
