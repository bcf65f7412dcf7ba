// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/fragment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready::facts {
namespace {

TEST(Fragments, OfOneRowComeTogether) {
  v1::HostFacts facts;
  v1::HostFacts link;
  link.add_net_devices()->set_id("a");
  link.mutable_net_devices(0)->mutable_link()->set_admin_up(true);
  v1::HostFacts dcb;
  dcb.add_net_devices()->set_id("a");
  dcb.mutable_net_devices(0)->mutable_dcb()->mutable_pfc()->add_enabled_priorities(3);
  PutFacts(link, &facts);
  PutFacts(dcb, &facts);
  ASSERT_EQ(facts.net_devices_size(), 1);
  EXPECT_TRUE(facts.net_devices(0).link().admin_up());
  EXPECT_EQ(facts.net_devices(0).dcb().pfc().enabled_priorities_size(), 1);
}

TEST(Fragments, TheLaterGroupTakesThePlaceOfTheEarlierOne) {
  v1::HostFacts facts;
  v1::HostFacts sysfs;
  v1::RdmaPort* port = sysfs.add_rdma_devices()->add_ports();
  sysfs.mutable_rdma_devices(0)->set_id("d");
  port->set_number(1);
  port->mutable_gid_table()->add_gids()->set_index(0);
  port->set_net_device_id("name:d0");
  v1::HostFacts verbs = sysfs;
  verbs.mutable_rdma_devices(0)->mutable_ports(0)->clear_net_device_id();
  verbs.mutable_rdma_devices(0)->mutable_ports(0)->mutable_gid_table()->mutable_gids(0)->set_index(
      7);
  PutFacts(sysfs, &facts);
  PutFacts(verbs, &facts);
  const v1::RdmaPort& result = facts.rdma_devices(0).ports(0);
  ASSERT_EQ(result.gid_table().gids_size(), 1);
  EXPECT_EQ(result.gid_table().gids(0).index(), 7u);
  EXPECT_EQ(result.net_device_id(), "name:d0");
}

TEST(Fragments, OtherRowsAreLeftAlone) {
  v1::HostFacts facts;
  facts.add_net_devices()->set_id("a");
  v1::HostFacts part;
  part.add_net_devices()->set_id("b");
  PutFacts(part, &facts);
  EXPECT_EQ(facts.net_devices_size(), 2);
}

}  // namespace
}  // namespace roceready::facts
