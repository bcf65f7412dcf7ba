// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "roceready/v1/facts.pb.h"

namespace roceready::accuracy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

v1::HostFacts TwoPorts() {
  v1::HostFacts facts;
  for (const char* name : {"ens1np0", "ens2np0"}) {
    v1::NetDevice& device = *facts.add_net_devices();
    device.set_id(std::string("name:") + name);
    device.set_name(name);
    v1::Pfc& pfc = *device.mutable_dcb()->mutable_pfc();
    pfc.mutable_reading()->set_outcome(v1::OUTCOME_OK);
    pfc.mutable_reading()->set_source(v1::SOURCE_DCBNL);
    pfc.add_enabled_priorities(3);
  }
  return facts;
}

std::vector<std::string> EditFacts(Change::Kind kind, const std::string& yaml,
                                   v1::HostFacts& facts) {
  std::vector<yaml::Problem> problems;
  const auto tree = yaml::ParseTree(yaml, "case.yaml", problems);
  Changes changes;
  if (tree) ReadChanges(kind, *tree, "case.yaml", changes, problems);
  const auto more = Apply(changes, "case.yaml", facts);
  problems.insert(problems.end(), more.begin(), more.end());
  std::vector<std::string> texts;
  for (const yaml::Problem& problem : problems) texts.push_back(problem.Render());
  return texts;
}

TEST(Edit, SetReplacesAListAndMakesWhatIsAbsent) {
  v1::HostFacts facts = TwoPorts();
  EXPECT_THAT(EditFacts(Change::Kind::kSet,
                        "net_devices[ens1np0].dcb.pfc.enabled_priorities: [4, 5]\n"
                        "net_devices[ens2np0].mtu.mtu_bytes: 1500\n",
                        facts),
              ElementsAre());
  EXPECT_THAT(facts.net_devices(0).dcb().pfc().enabled_priorities(), ElementsAre(4, 5));
  EXPECT_THAT(facts.net_devices(1).dcb().pfc().enabled_priorities(), ElementsAre(3));
  EXPECT_EQ(facts.net_devices(1).mtu().mtu_bytes(), 1500u);
}

TEST(Edit, RowsAreChosenByKeyFieldPlaceOrAll) {
  v1::HostFacts facts = TwoPorts();
  EXPECT_THAT(EditFacts(Change::Kind::kSet,
                        "net_devices[name:ens1np0].index: 7\n"
                        "net_devices[index=7].link.mac: 02:00:00:00:00:01\n"
                        "net_devices[#1].index: 8\n"
                        "net_devices[*].link.carrier: true\n",
                        facts),
              ElementsAre());
  EXPECT_EQ(facts.net_devices(0).link().mac(), "02:00:00:00:00:01");
  EXPECT_EQ(facts.net_devices(1).index(), 8u);
  EXPECT_TRUE(facts.net_devices(0).link().carrier() && facts.net_devices(1).link().carrier());
}

TEST(Edit, PlusAddsARow) {
  v1::HostFacts facts = TwoPorts();
  EXPECT_THAT(
      EditFacts(Change::Kind::kSet, "net_devices[+]: {name: docker0, id: name:docker0}", facts),
      ElementsAre());
  ASSERT_EQ(facts.net_devices_size(), 3);
  EXPECT_EQ(facts.net_devices(2).name(), "docker0");
}

TEST(Edit, DeleteTakesRowsAndFields) {
  v1::HostFacts facts = TwoPorts();
  EXPECT_THAT(EditFacts(Change::Kind::kDelete,
                        "[\"net_devices[ens1np0]\", \"net_devices[#0].dcb\"]", facts),
              ElementsAre());
  ASSERT_EQ(facts.net_devices_size(), 1);
  EXPECT_EQ(facts.net_devices(0).name(), "ens2np0");
  EXPECT_FALSE(facts.net_devices(0).has_dcb());
  EXPECT_THAT(EditFacts(Change::Kind::kDelete, "[\"net_devices[*]\"]", facts), ElementsAre());
  EXPECT_EQ(facts.net_devices_size(), 0);
}

TEST(Edit, UnreadLeavesTheReadingAlone) {
  v1::HostFacts facts = TwoPorts();
  EXPECT_THAT(EditFacts(Change::Kind::kUnread, "net_devices[ens1np0].dcb.pfc: denied", facts),
              ElementsAre());
  const v1::Pfc& pfc = facts.net_devices(0).dcb().pfc();
  EXPECT_EQ(pfc.reading().outcome(), v1::OUTCOME_DENIED);
  EXPECT_EQ(pfc.reading().source(), v1::SOURCE_DCBNL);
  EXPECT_EQ(pfc.enabled_priorities_size(), 0);
}

TEST(Edit, AWrongPathIsAnErrorWithItsPlaceAndASuggestion) {
  v1::HostFacts facts = TwoPorts();
  const v1::HostFacts before = facts;
  EXPECT_THAT(
      EditFacts(Change::Kind::kSet,
                "net_devices[ens1np0].dcb.pcf.enabled_priorities: [4]\n"
                "net_devices[ens1np1].mtu.mtu_bytes: 1500\n"
                "net_devices.mtu.mtu_bytes: 1500\n"
                "net_devices[ens1np0].mtu.mtu_bytes: large\n"
                "net_devices[ens1np0.mtu: 1\n",
                facts),
      ElementsAre(HasSubstr("case.yaml:1:26: net_devices[ens1np0].dcb.pcf.enabled_priorities: Dcb "
                            "has no field \"pcf\" (did you mean pfc?)"),
                  HasSubstr("case.yaml:2:13: net_devices[ens1np1].mtu.mtu_bytes: net_devices has "
                            "no row \"ens1np1\" (did you mean ens1np0?)"),
                  HasSubstr("case.yaml:3:1: net_devices.mtu.mtu_bytes: net_devices is a list"),
                  HasSubstr("case.yaml:4:37: net_devices[ens1np0].mtu.mtu_bytes: found \"large\", "
                            "expected a number"),
                  HasSubstr("case.yaml:5:1: net_devices[ens1np0.mtu: found no path")));
}

TEST(Edit, NothingToDeleteIsAnError) {
  v1::HostFacts facts = TwoPorts();
  EXPECT_THAT(EditFacts(Change::Kind::kDelete, "[\"net_devices[ens1np0].vlan.vlan_id\"]", facts),
              ElementsAre(HasSubstr("found nothing in \"vlan\"")));
  EXPECT_THAT(EditFacts(Change::Kind::kUnread, "kernel.release: denied", facts),
              ElementsAre(HasSubstr("has no Reading of its own")));
}

}  // namespace
}  // namespace roceready::accuracy
