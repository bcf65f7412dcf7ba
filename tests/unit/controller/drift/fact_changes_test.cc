// SPDX-License-Identifier: Apache-2.0
#include "controller/drift/fact_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/builders/facts_builder.h"

namespace roceready::drift {
namespace {

using builders::Answered, builders::Unanswered, builders::HostBuilder;
using testing::ElementsAre, testing::Field, testing::HasSubstr, testing::IsEmpty, testing::SizeIs;

class FactChangesTest : public testing::Test {
 protected:
  FactChangesTest() {
    // What an agent's scans say; the builder leaves it out.
    for (v1::HostFacts* facts : {&before_.facts(), &after_.facts()}) {
      *facts->mutable_pci_scan() = Answered(v1::SOURCE_SYSFS);
      *facts->mutable_net_scan() = Answered(v1::SOURCE_RTNETLINK);
      *facts->mutable_rdma_scan() = Answered(v1::SOURCE_RDMA_NETLINK);
    }
  }

  std::vector<FactChange> Changes() {
    return ConfigChanges(before_.facts(), after_.facts()).changes;
  }

  static v1::Pfc& PfcOf(HostBuilder& host) { return *host.net().mutable_dcb()->mutable_pfc(); }

  std::string NetPath(const std::string& rest) {
    return "net_devices[" + before_.net().id() + "]" + rest;
  }

  HostBuilder before_{"gpu1", 1, builders::Nic::kMlx5, 2};
  HostBuilder after_{"gpu1", 1, builders::Nic::kMlx5, 2};
};

TEST_F(FactChangesTest, EqualFactsHaveChangedNothing) { EXPECT_THAT(Changes(), IsEmpty()); }

TEST_F(FactChangesTest, SaysWhatAValueWasAndIs) {
  after_.WithPfc({});
  EXPECT_THAT(Changes(), ElementsAre(FactChange{NetPath(".dcb.pfc.enabled_priorities"),
                                                before_.net().name(), "3", "none"}));
}

TEST_F(FactChangesTest, AValueThatOneAnswerDidNotContainAppearsOrGoes) {
  PfcOf(after_).set_delay(200);
  EXPECT_THAT(Changes(), ElementsAre(FactChange{NetPath(".dcb.pfc.delay"), before_.net().name(),
                                                std::nullopt, "200"}));
}

TEST_F(FactChangesTest, StateIsNoConfiguration) {
  after_.net().mutable_link()->set_carrier(false);
  after_.net().mutable_link()->set_operstate("down");
  after_.port().set_state(v1::PORT_STATE_DOWN);
  after_.facts().mutable_rdma_use()->add_devices()->set_user_qps(4);
  after_.net().mutable_bond_member()->set_state("backup");
  EXPECT_THAT(Changes(), IsEmpty());
}

TEST_F(FactChangesTest, NumbersThatEachLoadOfADriverGivesAnewAreNone) {
  after_.net().set_index(99);
  after_.rdma().set_index(99);
  EXPECT_THAT(Changes(), IsEmpty());
}

TEST_F(FactChangesTest, AnotherOrderOfRowsIsNone) {
  std::ranges::reverse(*after_.facts().mutable_net_devices());
  std::ranges::reverse(*after_.facts().mutable_rdma_devices());
  std::ranges::reverse(*after_.port().mutable_gid_table()->mutable_gids());
  for (HostBuilder* host : {&before_, &after_}) {
    v1::IpStack& ip = *host->facts().mutable_ip_stack();
    *ip.mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
    for (const char* destination : {"10.77.0.0/24", "10.77.1.0/24", "0.0.0.0/0"}) {
      ip.add_routes()->set_destination(destination);
    }
    for (const std::uint32_t priority : {0u, 100u, 100u}) ip.add_rules()->set_priority(priority);
    ip.mutable_rules(2)->set_from("10.77.0.1");
  }
  std::ranges::reverse(*after_.facts().mutable_ip_stack()->mutable_routes());
  std::ranges::reverse(*after_.facts().mutable_ip_stack()->mutable_rules());
  EXPECT_THAT(Changes(), IsEmpty());
}

TEST_F(FactChangesTest, AnotherOrderOfASetIsNoneAndOfASequenceIsOne) {
  PfcOf(before_).clear_enabled_priorities();
  PfcOf(after_).clear_enabled_priorities();
  for (const std::uint32_t priority : {3u, 4u}) PfcOf(before_).add_enabled_priorities(priority);
  for (const std::uint32_t priority : {4u, 3u}) PfcOf(after_).add_enabled_priorities(priority);
  EXPECT_THAT(Changes(), IsEmpty());
  for (HostBuilder* host : {&before_, &after_}) {
    v1::AppTrust& trust = *host->net().mutable_dcb()->mutable_app_trust();
    *trust.mutable_reading() = Answered(v1::SOURCE_DCBNL);
    trust.clear_order();
    trust.add_order("dscp");
    trust.add_order("pcp");
  }
  after_.net().mutable_dcb()->mutable_app_trust()->mutable_order()->SwapElements(0, 1);
  EXPECT_THAT(Changes(), ElementsAre(FactChange{NetPath(".dcb.app_trust.order"),
                                                before_.net().name(), "dscp,pcp", "pcp,dscp"}));
}

TEST_F(FactChangesTest, WhatCouldNotBeReadHasNotChanged) {
  for (const v1::Outcome outcome :
       {v1::OUTCOME_TIMED_OUT, v1::OUTCOME_DENIED, v1::OUTCOME_FAILED, v1::OUTCOME_ABSENT,
        v1::OUTCOME_UNSUPPORTED, v1::OUTCOME_SKIPPED, v1::OUTCOME_UNSPECIFIED}) {
    PfcOf(after_).Clear();
    *PfcOf(after_).mutable_reading() = Unanswered(outcome, v1::SOURCE_DCBNL);
    EXPECT_THAT(Changes(), IsEmpty()) << v1::Outcome_Name(outcome);
    std::swap(before_, after_);
    EXPECT_THAT(Changes(), IsEmpty()) << v1::Outcome_Name(outcome) << ", the other way";
    std::swap(before_, after_);
  }
  after_.net().clear_dcb();
  EXPECT_THAT(Changes(), IsEmpty()) << "an older agent";
}

TEST_F(FactChangesTest, AGroupThatIsReadAgainBesideOneThatIsNotIsCompared) {
  *PfcOf(after_).mutable_reading() = Unanswered(v1::OUTCOME_FAILED, v1::SOURCE_DCBNL);
  after_.WithMtu(1500, 4096);
  EXPECT_THAT(Changes(), ElementsAre(Field(&FactChange::path, NetPath(".mtu.mtu_bytes"))));
}

TEST_F(FactChangesTest, DevicesComeAndGo) {
  const v1::NetDevice gone = after_.net(1);
  after_.facts().mutable_net_devices()->RemoveLast();
  const std::string path = "net_devices[" + gone.id() + "]";
  EXPECT_THAT(Changes(), ElementsAre(FactChange{path, "", gone.name(), std::nullopt}));
  std::swap(before_, after_);
  EXPECT_THAT(Changes(), ElementsAre(FactChange{path, "", std::nullopt, gone.name()}));
}

TEST_F(FactChangesTest, AListThatCouldNotBeReadHasLostNobody) {
  after_.facts().clear_net_devices();
  *after_.facts().mutable_net_scan() = Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_RTNETLINK);
  EXPECT_THAT(Changes(), IsEmpty());
}

TEST_F(FactChangesTest, AReadingOfItsOwnGovernsTheFieldsItIsAbout) {
  for (HostBuilder* host : {&before_, &after_}) {
    v1::Ethernet& ethernet = *host->net().mutable_ethernet();
    *ethernet.mutable_reading() = Answered(v1::SOURCE_ETHTOOL_NETLINK);
    *ethernet.mutable_fec_reading() = Answered(v1::SOURCE_ETHTOOL_NETLINK);
    ethernet.set_autoneg(true);
    ethernet.set_fec_auto(true);
  }
  v1::Ethernet& ethernet = *after_.net().mutable_ethernet();
  ethernet.clear_fec_auto();
  *ethernet.mutable_fec_reading() = Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_ETHTOOL_NETLINK);
  EXPECT_THAT(Changes(), IsEmpty());
  ethernet.set_autoneg(false);
  EXPECT_THAT(Changes(), ElementsAre(Field(&FactChange::path, NetPath(".ethernet.autoneg"))));
}

TEST_F(FactChangesTest, RowsWithoutAnIdAreToldByTheirKey) {
  v1::IpAddress& address = *after_.net().mutable_addresses()->add_addresses();
  address.set_address("192.0.2.1");
  address.set_prefix_bits(28);
  address.set_permanent(true);
  address.set_tentative(true);
  EXPECT_THAT(Changes(), ElementsAre(FactChange{
                             NetPath(".addresses.addresses[192.0.2.1 28]"), before_.net().name(),
                             std::nullopt, "address=192.0.2.1 prefix_bits=28 permanent=true"}));
}

TEST_F(FactChangesTest, OfManyChangesTheFirstAreToldAndTheRestCounted) {
  v1::IpStack& ip = *after_.facts().mutable_ip_stack();
  *ip.mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  *before_.facts().mutable_ip_stack()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  for (std::uint32_t i = 0; i < kMostChanges + 7; ++i) ip.add_routes()->set_metric(i + 1);
  const FactChanges changes = ConfigChanges(before_.facts(), after_.facts());
  EXPECT_THAT(changes.changes, SizeIs(kMostChanges));
  EXPECT_EQ(changes.left_out, 7u);
}

TEST_F(FactChangesTest, LongValuesAreCutBetweenCharacters) {
  std::string name;
  while (name.size() < 2 * kLongestValue) name += "\u00e4";
  after_.facts().mutable_kernel()->set_release(name);
  const std::vector<FactChange> changes = Changes();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_LE(changes[0].to->size(), kLongestValue);
  EXPECT_THAT(*changes[0].to, HasSubstr("\u00e4..."));
}

}  // namespace
}  // namespace roceready::drift
