// SPDX-License-Identifier: Apache-2.0
#include "controller/whois/what.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/contract/errors.h"

namespace roceready::whois {
namespace {

TEST(What, AnAddressIsTheSameHoweverItIsWritten) {
  const std::optional<AddressBytes> v4 = AddressOf("10.77.3.17");
  ASSERT_TRUE(v4);
  for (const char* text : {"10.77.3.17", "10.77.3.17/24", "10.77.3.17:4791", "::ffff:10.77.3.17",
                           "0000:0000:0000:0000:0000:ffff:0a4d:0311", "[::ffff:10.77.3.17]:4791"}) {
    const auto what = ParseWhat(text);
    ASSERT_TRUE(what.ok()) << text << ": " << what.status();
    EXPECT_EQ(what->address, v4) << text;
  }
  EXPECT_EQ(ParseWhat("fe80::5054:ff:fe77:1%eth0")->address, AddressOf("fe80::5054:ff:fe77:1"));
  EXPECT_EQ(ParseWhat("fe80:0000:0000:0000:5054:00ff:fe77:0001")->address,
            AddressOf("fe80::5054:ff:fe77:1"));
  EXPECT_NE(AddressOf("10.77.3.17"), AddressOf("10.77.3.18"));
}

TEST(What, AMacIsTheSameHoweverItIsWritten) {
  const MacBytes mac = {0x52, 0x54, 0x00, 0xaB, 0x00, 0x01};
  for (const char* text : {"52:54:00:ab:00:01", "52-54-00-AB-00-01"}) {
    EXPECT_EQ(ParseWhat(text)->mac, mac) << text;
  }
  for (const char* text :
       {"52:54:00:ab:00", "52:54-00:ab:00:01", "52:54:00:ab:00:0g", "+2:54:00:ab:00:01"}) {
    EXPECT_EQ(MacOf(text), std::nullopt) << text;
  }
}

TEST(What, AHostMayHaveADevice) {
  EXPECT_EQ(ParseWhat("GPU017")->host, "gpu017");
  const auto device = ParseWhat("gpu017/mlx5_2:1");
  ASSERT_TRUE(device.ok());
  EXPECT_EQ(device->host, "gpu017");
  EXPECT_EQ(device->device, "mlx5_2:1");
}

TEST(What, OtherThingsAreRefusedWithWhatMayBeAskedFor) {
  for (const std::string& text : {std::string(), std::string("gpu[1-2]"), std::string("a b"),
                                  std::string("/eth0"), std::string(1000, 'a')}) {
    const auto what = ParseWhat(text);
    EXPECT_EQ(what.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(Message(what.status())), testing::HasSubstr("HOST/DEVICE"));
  }
}

}  // namespace
}  // namespace roceready::whois
