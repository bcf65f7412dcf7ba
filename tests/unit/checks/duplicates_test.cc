// SPDX-License-Identifier: Apache-2.0
// Addresses and MACs that are no duplicates, and hosts that were not read.
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder;
using ::testing::HasSubstr;

TEST(Duplicates, AreNotRuledOutWhileOneHostWasNotRead) {
  AuditOf audit = HealthyLab();
  *audit.host(1).net().mutable_addresses() = {};

  const v1::AuditReport report = audit.Report();

  EXPECT_EQ(TallyOf(report, "address.duplicate").pass(), 0u);
  EXPECT_EQ(Only(report, "address.duplicate").status(), v1::CHECK_STATUS_UNKNOWN);
}

TEST(Duplicates, AreNotRuledOutWhileAPortShowsNoNetDevice) {
  AuditOf audit = HealthyLab();
  audit.host(1).port().clear_net_device_id();

  const v1::AuditReport report = audit.Report();

  for (const char* id : {"address.duplicate", "address.duplicate-mac"}) {
    EXPECT_EQ(TallyOf(report, id).pass(), 0u) << id;
    EXPECT_THAT(Only(report, id).reason(), HasSubstr("in this network namespace")) << id;
    EXPECT_EQ(Only(report, id).subject().host(), "host2") << id;
    EXPECT_NE(Only(report, id).caused_by(), "") << "one net device out of sight is one unknown";
  }
}

TEST(Duplicates, AreNoneOfLoopbackDevices) {
  AuditOf audit = HealthyLab();
  for (HostBuilder& host : audit.hosts) host.net().mutable_link()->set_mac("00:00:00:00:00:00");

  EXPECT_EQ(Find(audit.Report(), "address.duplicate-mac"), nullptr);
}

TEST(Duplicates, AreNoneOfLinkLocalAddresses) {
  AuditOf audit = HealthyLab();
  for (HostBuilder& host : audit.hosts) {
    v1::IpAddress& address = *host.net().mutable_addresses()->add_addresses();
    address.set_address("fe80::1");
    address.set_prefix_bits(64);
    address.set_scope("link");
  }

  EXPECT_EQ(Find(audit.Report(), "address.duplicate"), nullptr);
}

}  // namespace
}  // namespace roceready::checks
