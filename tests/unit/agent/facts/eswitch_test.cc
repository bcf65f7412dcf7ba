// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/eswitch.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "agent/facts/readings.h"
#include "tests/support/fake_netlink.h"
#include "tests/support/fixture_tree.h"
#include "tests/support/source_path.h"

namespace roceready::facts {
namespace {

TEST(Eswitch, IsInTheWordsOfDevlink) {
  const v1::Eswitch eswitch = EswitchOf(
      netlink::DevlinkEswitch{.handle = {}, .mode = 1, .inline_mode = 1, .encap_mode = 0});
  EXPECT_EQ(eswitch.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(eswitch.mode(), "switchdev");
  EXPECT_EQ(eswitch.inline_mode(), "link");
  EXPECT_EQ(eswitch.encap_mode(), "none");
}

TEST(Eswitch, OfTheRecordedGuestIsThatOfDevlink) {
  FixtureTree tree;
  tree.File("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x1af4");
  auto generic = netlink::FakeTransport::FromFile(SourcePath("tests/hosts/sriov-6.1/generic.txt"));
  ASSERT_TRUE(generic.ok()) << generic.status();
  const auto family = netlink::ResolveGenericFamily(*generic, netlink::kDevlinkFamily);
  ASSERT_TRUE(family.ok()) << family.status();
  const v1::Eswitch eswitch = ReadEswitch(*generic, *family, HostRoot(tree.path()), "0000:01:00.0",
                                          OkReading(v1::SOURCE_DEVLINK));
  EXPECT_EQ(eswitch.reading().outcome(), v1::OUTCOME_OK) << eswitch.reading().detail();
  EXPECT_EQ(eswitch.mode(), "switchdev");
  EXPECT_EQ(eswitch.inline_mode(), "transport");
  EXPECT_EQ(eswitch.encap_mode(), "basic");
}

TEST(Eswitch, OfADriverWithoutOneIsUnsupportedAndNotLegacy) {
  EXPECT_EQ(EswitchOf(netlink::DevlinkEswitch{}).reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(EswitchOf(ErrnoError(EOPNOTSUPP, "eswitch")).reading().outcome(),
            v1::OUTCOME_UNSUPPORTED);
}

TEST(Eswitch, DeniedNamesTheCapability) {
  const v1::Eswitch eswitch = EswitchOf(ErrnoError(EPERM, "eswitch"));
  EXPECT_EQ(eswitch.reading().outcome(), v1::OUTCOME_DENIED);
  EXPECT_EQ(eswitch.reading().needs(), "CAP_NET_ADMIN");
  EXPECT_FALSE(eswitch.has_mode());
}

TEST(Eswitch, IsNotAskedOfAVirtualFunctionNorOfWhatDevlinkDoesNotKnow) {
  FixtureTree tree;
  tree.File("/sys/bus/pci/devices/0000:3b:00.2/physfn/vendor", "0x15b3");
  tree.File("/sys/bus/pci/devices/0000:3b:00.0/vendor", "0x15b3");
  const HostRoot root(tree.path());
  // It answers nothing: a question would end as FAILED.
  netlink::FakeTransport generic;
  const netlink::GenericFamily family{0x15, 1};
  const v1::Reading ok = OkReading(v1::SOURCE_DEVLINK);
  EXPECT_EQ(ReadEswitch(generic, family, root, "0000:3b:00.2", ok).reading().outcome(),
            v1::OUTCOME_ABSENT);
  const v1::Reading absent = MissingReading(v1::OUTCOME_ABSENT, v1::SOURCE_DEVLINK, "no device");
  EXPECT_EQ(ReadEswitch(generic, family, root, "0000:3b:00.0", absent).reading().detail(),
            "no device");
}

}  // namespace
}  // namespace roceready::facts
