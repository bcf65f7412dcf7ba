// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/congestion/congestion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "agent/facts/congestion/devx.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const CongestionPort kPort{"mlx5_0", "0000:3b:00.0", "ens1", 1};
constexpr char kDebugfs[] = "/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/";

v1::CongestionControl Read(const FixtureTree& tree, std::string_view driver) {
  return ReadCongestion(HostRoot(tree.path()), driver, kPort);
}

TEST(CongestionMlx5, ReadsParametersFromDebugfs) {
  FixtureTree tree;
  tree.File(std::string(kDebugfs) + "np_cnp_dscp", "48")
      .File(std::string(kDebugfs) + "np_cnp_prio", "6");
  tree.File(std::string(kDebugfs) + "rp_ai_rate", "5");
  const v1::CongestionControl congestion = Read(tree, "mlx5");
  EXPECT_EQ(congestion.parameters().reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(congestion.parameters().reading().source(), v1::SOURCE_DEBUGFS);
  EXPECT_EQ(congestion.parameters().cnp_dscp(), 48u);
  EXPECT_EQ(congestion.parameters().cnp_priority(), 6u);
  EXPECT_EQ(congestion.parameters().raw_size(), 3);
}

TEST(CongestionMlx5, TheInboxDriverDoesNotShowNotificationAndReactionPoint) {
  FixtureTree tree;
  tree.File(std::string(kDebugfs) + "np_cnp_dscp", "48");
  const v1::CongestionControl congestion = Read(tree, "mlx5");
  EXPECT_EQ(congestion.notification_point().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(congestion.reaction_point().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(congestion.notification_point().enabled_priorities_size(), 0);
  EXPECT_FALSE(congestion.has_algorithm());
}

TEST(CongestionMlx5, ReadsSwitchesAndParametersOfTheVendorsDriver) {
  FixtureTree tree;
  const std::string ecn = "/sys/class/net/ens1/ecn/";
  for (int priority = 0; priority < 8; ++priority) {
    const std::string file = "/enable/" + std::to_string(priority);
    tree.File(ecn + "roce_np" + file, "1").File(ecn + "roce_rp" + file, priority == 3 ? "1" : "0");
  }
  tree.File(ecn + "roce_np/cnp_dscp", "48").File(ecn + "roce_np/cnp_802p_prio", "6");
  tree.File(ecn + "roce_rp/rpg_ai_rate", "5");
  const v1::CongestionControl congestion = Read(tree, "mlx5");
  EXPECT_THAT(congestion.notification_point().enabled_priorities(),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(congestion.reaction_point().enabled_priorities(), ElementsAre(3));
  EXPECT_EQ(congestion.parameters().cnp_dscp(), 48u);
  EXPECT_EQ(congestion.parameters().cnp_priority(), 6u);
  EXPECT_EQ(congestion.parameters().raw_size(), 3);
  EXPECT_EQ(congestion.parameters().reading().source(), v1::SOURCE_VENDOR_SYSFS);
}

TEST(CongestionMlx5, ASwitchThatCannotBeReadLeavesTheWholeMaskUnread) {
  FixtureTree tree;
  tree.File("/sys/class/net/ens1/ecn/roce_np/enable/0", "1");
  tree.Folder("/sys/class/net/ens1/ecn/roce_rp");
  const v1::CongestionControl congestion = Read(tree, "mlx5");
  EXPECT_EQ(congestion.notification_point().reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(congestion.notification_point().enabled_priorities_size(), 0);
}

TEST(CongestionMlx5, SaysWhetherDebugfsOrTheFirmwareIsWhatLacks) {
  FixtureTree without;
  EXPECT_EQ(Read(without, "mlx5").parameters().reading().needs(), "debugfs mounted");
  FixtureTree mounted;
  mounted.Folder("/sys/kernel/debug/mlx5/0000:3b:00.0");
  const v1::Reading reading = Read(mounted, "mlx5").parameters().reading();
  EXPECT_EQ(reading.outcome(), v1::OUTCOME_ABSENT);
  EXPECT_THAT(reading.detail(), HasSubstr("firmware"));
}

TEST(CongestionBnxt, ReadsDebugfsOfNewerKernels) {
  FixtureTree tree;
  const std::string folder = "/sys/kernel/debug/bnxt_re/0000:3b:00.0/cc_config/";
  tree.File(folder + "enable_cc", "1").File(folder + "alt_vlan_dscp", "48");
  tree.File(folder + "alt_vlan_pcp", "7").File(folder + "tx_queue", "never asked for");
  const v1::CongestionControl congestion = Read(tree, "bnxt_re");
  EXPECT_EQ(congestion.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(congestion.parameters().cnp_dscp(), 48u);
  EXPECT_EQ(congestion.parameters().cnp_priority(), 7u);
  EXPECT_EQ(congestion.notification_point().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

TEST(CongestionBnxt, DoesNotMakeADirectoryToReadTheVendorsConfigfs) {
  FixtureTree tree;
  tree.Folder("/sys/kernel/config/bnxt_re");
  const v1::CongestionControl congestion = Read(tree, "bnxt_re");
  EXPECT_EQ(congestion.parameters().reading().outcome(), v1::OUTCOME_SKIPPED);
  EXPECT_THAT(congestion.parameters().reading().detail(), HasSubstr("mkdir"));
  EXPECT_TRUE(std::filesystem::is_empty(tree.path() + "/sys/kernel/config/bnxt_re"));
}

TEST(CongestionHns, ReadsTheVendorKernelsGroup) {
  FixtureTree tree;
  tree.File("/sys/class/infiniband/mlx5_0/ports/1/dcqcn_cc_param/ai", "1500");
  const v1::CongestionControl congestion = Read(tree, "hns");
  EXPECT_EQ(congestion.algorithm(), "dcqcn");
  EXPECT_EQ(congestion.parameters().raw(0).name(), "ai");
  EXPECT_EQ(congestion.parameters().raw(0).value(), 1500u);
}

TEST(CongestionFamilies, EachSaysWhyNothingCouldBeRead) {
  FixtureTree tree;
  std::set<std::string_view> drivers;
  for (const CongestionFamily& family : CongestionFamilies()) {
    EXPECT_TRUE(drivers.insert(family.driver).second) << family.driver;
    const v1::CongestionControl congestion = Read(tree, family.driver);
    for (const v1::Reading& reading :
         {congestion.reading(), congestion.notification_point().reading(),
          congestion.reaction_point().reading(), congestion.parameters().reading()}) {
      EXPECT_NE(reading.outcome(), v1::OUTCOME_UNSPECIFIED) << family.driver;
      EXPECT_NE(reading.outcome(), v1::OUTCOME_OK) << family.driver;
      EXPECT_FALSE(reading.detail().empty()) << family.driver;
    }
  }
}

TEST(CongestionFamilies, AnUnknownDriverIsNamed) {
  FixtureTree tree;
  EXPECT_THAT(Read(tree, "newnic").reading().detail(), HasSubstr("newnic"));
}

TEST(Devx, AsksTheFirmwareForOnePriorityOfOnePoint) {
  EXPECT_EQ(QueryCongestionStatus(CongestionProtocol::kNotificationPoint, 3),
            (CongestionCommand{0x08, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x32, 0, 0, 0, 0}));
  EXPECT_EQ(QueryCongestionStatus(CongestionProtocol::kReactionPoint, 7)[11], 0x71);
}

TEST(Devx, ReadsTheSwitchAndNoOtherBit) {
  CongestionCommand answer{};
  EXPECT_EQ(*DecodeCongestionStatus(answer), false);
  answer[12] = 0x40;  // tag_enable
  EXPECT_EQ(*DecodeCongestionStatus(answer), false);
  answer[12] = 0x80;
  EXPECT_EQ(*DecodeCongestionStatus(answer), true);
}

TEST(Devx, ARefusalIsUnsupportedAndOtherSizesAreMalformed) {
  CongestionCommand answer{};
  answer[0] = 3;
  answer[6] = 0x12;
  answer[12] = 0x80;
  const absl::Status refused = DecodeCongestionStatus(answer).status();
  EXPECT_TRUE(absl::IsUnimplemented(refused));
  EXPECT_NE(Message(refused).find("0x1200"), std::string_view::npos);
  EXPECT_TRUE(absl::IsDataLoss(DecodeCongestionStatus(std::span(answer).first(15)).status()));
}

TEST(Devx, GivesTheKernelsDriverItsPoints) {
  v1::CongestionControl congestion;
  AddCongestionPoints(VerbsCongestionPoints{1 << 3, 0}, &congestion);
  ASSERT_EQ(congestion.notification_point().enabled_priorities_size(), 1);
  EXPECT_EQ(congestion.notification_point().enabled_priorities(0), 3u);
  EXPECT_EQ(congestion.reaction_point().reading().source(), v1::SOURCE_DEVX);
  EXPECT_TRUE(congestion.reaction_point().enabled_priorities().empty());
}

TEST(Devx, ARefusalLeavesThemAsTheyWereWithItsReason) {
  v1::CongestionControl congestion;
  congestion.mutable_reaction_point()->mutable_reading()->set_outcome(v1::OUTCOME_UNSUPPORTED);
  AddCongestionPoints(Unimplemented("too old"), &congestion);
  EXPECT_EQ(congestion.reaction_point().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(congestion.reaction_point().reading().detail(), "; DEVX: too old");
}

}  // namespace
}  // namespace roceready::facts
