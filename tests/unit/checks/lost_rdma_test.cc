// SPDX-License-Identifier: Apache-2.0
// Functions without an RDMA device that have lost none, and those of which it is not known.
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;

v1::AuditReport Judge(const HostBuilder& host) { return AuditOf({host}).Report(); }

// Two functions of one mlx5 card, the first with an RDMA device that has the ports of both.
HostBuilder MultiPortHost() {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  host.pci(1).set_adapter_id(host.pci(0).adapter_id());
  v1::RdmaPort second = host.port(1);
  second.set_number(2);
  host.facts().mutable_rdma_devices()->RemoveLast();
  *host.rdma().add_ports() = second;
  return host;
}

TEST(FunctionWithoutRdma, MayBeAMemberOfABond) {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  host.BondRails(0, 1);

  EXPECT_EQ(Find(Judge(host), "device.lost-rdma"), nullptr);
}

TEST(FunctionWithoutRdma, MayHaveItsPortAtTheOtherFunctionOfItsCard) {
  HostBuilder host = MultiPortHost();

  EXPECT_EQ(Find(Judge(host), "device.lost-rdma"), nullptr);
  EXPECT_EQ(TallyOf(Judge(host), "device.lost-rdma").pass(), 2u);
}

TEST(FunctionWithoutRdma, IsUnknownWhereAPortOfItsCardDoesNotShowItsNetDevice) {
  HostBuilder host = MultiPortHost();
  host.rdma().mutable_ports(1)->clear_net_device_id();

  EXPECT_EQ(Only(Judge(host), "device.lost-rdma").status(), v1::CHECK_STATUS_UNKNOWN);
}

TEST(FunctionWithoutRdma, HasLostItWhereTheOtherPortsAreNotItsOwn) {
  HostBuilder other_port = MultiPortHost();
  other_port.rdma().mutable_ports(1)->set_net_device_id(other_port.net(0).id());
  EXPECT_EQ(Only(Judge(other_port), "device.lost-rdma").status(), v1::CHECK_STATUS_FAIL);

  HostBuilder other_card = MultiPortHost();
  other_card.pci(1).set_adapter_id("serial-of-another-card");
  EXPECT_EQ(Only(Judge(other_card), "device.lost-rdma").status(), v1::CHECK_STATUS_FAIL);
}

TEST(FunctionWithoutRdma, MayHaveBeenSwitchedOff) {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  host.facts().mutable_rdma_devices()->RemoveLast();
  v1::DevlinkParameter& parameter = *host.pci(1).mutable_parameters()->add_parameters();
  parameter.set_name("enable_rdma");
  parameter.set_driverinit("false");

  EXPECT_EQ(Find(Judge(host), "device.lost-rdma"), nullptr);
  const v1::Finding finding = Only(Judge(host), "device.roce-enabled");
  EXPECT_EQ(finding.status(), v1::CHECK_STATUS_FAIL);
  EXPECT_EQ(finding.subject().device_id(), host.pci(1).id());
}

TEST(FunctionWithoutRdma, ThatIsSwitchedOffIsNoFaultWhereTheJobUsesOthers) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5, 2)});
  HostBuilder& host = audit.host();
  audit.policy.job.add_interfaces(host.rdma(0).name());
  host.facts().mutable_rdma_devices()->RemoveLast();
  host.pci(1).mutable_parameters()->mutable_parameters(0)->set_driverinit("false");

  EXPECT_EQ(Find(audit.Report(), "device.roce-enabled"), nullptr);
}

TEST(FunctionWithoutRdma, MayBeOfAModelThatHasNone) {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  host.facts().mutable_rdma_devices()->RemoveLast();
  host.pci(1).set_device(0x1015);

  EXPECT_EQ(Find(Judge(host), "device.lost-rdma"), nullptr);
}

TEST(FunctionWithoutRdma, IsUnknownWhereItMayBeElsewhereOrInABond) {
  HostBuilder elsewhere("gpu1", 1, Nic::kMlx5, 2);
  elsewhere.facts().mutable_rdma_devices()->RemoveLast();
  elsewhere.facts().mutable_rdma_stack()->set_netns_mode("exclusive");
  EXPECT_EQ(Only(Judge(elsewhere), "device.lost-rdma").status(), v1::CHECK_STATUS_UNKNOWN);

  HostBuilder bonded("gpu1", 1, Nic::kMlx5, 2);
  bonded.BondRails(0, 1);
  *bonded.net(1).mutable_link() = {};
  EXPECT_EQ(Only(Judge(bonded), "device.lost-rdma").status(), v1::CHECK_STATUS_UNKNOWN);
}

}  // namespace
}  // namespace roceready::checks
