// SPDX-License-Identifier: Apache-2.0
#include "controller/drift/last_known.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/drift/fact_changes.h"
#include "tests/support/builders/facts_builder.h"

namespace roceready::drift {
namespace {

using builders::Answered, builders::HostBuilder, builders::Unanswered;
using testing::ElementsAre, testing::Field, testing::IsEmpty, testing::Optional;

HostBuilder Host() {
  HostBuilder host("gpu1", 1, builders::Nic::kMlx5, 2);
  *host.facts().mutable_pci_scan() = Answered(v1::SOURCE_SYSFS);
  *host.facts().mutable_net_scan() = Answered(v1::SOURCE_RTNETLINK);
  *host.facts().mutable_rdma_scan() = Answered(v1::SOURCE_RDMA_NETLINK);
  return host;
}

TEST(KeepLastKnown, KeepsNothingWhereAllAnswered) {
  const HostBuilder before = Host();
  HostBuilder after = Host();
  after.WithPfc({});
  const std::string bytes = after.facts().SerializeAsString();
  EXPECT_FALSE(KeepLastKnown(HostBuilder(before).facts(), &after.facts()));
  EXPECT_EQ(after.facts().SerializeAsString(), bytes);
}

TEST(KeepLastKnown, AChangeWhileTheSourceHungIsSeenWhenItAnswersAgain) {
  HostBuilder before = Host(), hung = Host(), after = Host();
  v1::Pfc& pfc = *hung.net().mutable_dcb()->mutable_pfc();
  pfc.Clear();
  *pfc.mutable_reading() = Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_DCBNL);
  after.WithPfc({});
  EXPECT_TRUE(KeepLastKnown(before.facts(), &hung.facts()));
  EXPECT_THAT(ConfigChanges(before.facts(), hung.facts()).changes, IsEmpty());
  EXPECT_THAT(ConfigChanges(hung.facts(), after.facts()).changes,
              ElementsAre(AllOf(Field(&FactChange::from, Optional(std::string("3"))),
                                Field(&FactChange::to, Optional(std::string("none"))))));
}

TEST(KeepLastKnown, OfAListThatCouldNotBeReadTheRowsStay) {
  HostBuilder before = Host(), hung = Host(), after = Host();
  hung.facts().clear_net_devices();
  *hung.facts().mutable_net_scan() = Unanswered(v1::OUTCOME_FAILED, v1::SOURCE_RTNETLINK);
  after.facts().mutable_net_devices()->RemoveLast();
  EXPECT_TRUE(KeepLastKnown(before.facts(), &hung.facts()));
  EXPECT_THAT(ConfigChanges(hung.facts(), after.facts()).changes,
              ElementsAre(Field(&FactChange::from, Optional(before.net(1).name()))));
}

TEST(KeepLastKnown, DoesNotOverwriteWhatIsKnown) {
  HostBuilder before = Host(), hung = Host();
  *hung.net().mutable_dcb()->mutable_pfc()->mutable_reading() =
      Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_DCBNL);
  hung.WithMtu(1500, 4096);
  EXPECT_TRUE(KeepLastKnown(before.facts(), &hung.facts()));
  EXPECT_EQ(hung.net().mtu().mtu_bytes(), 1500u);
}

}  // namespace
}  // namespace roceready::drift
