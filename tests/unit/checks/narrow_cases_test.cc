// SPDX-License-Identifier: Apache-2.0
// Where a check must hold its tongue: what is no fault, what cannot matter, and what is not known.
#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "checks/host_view.h"
#include "checks/policy/policy_file.h"
#include "proto/contract/facts_file.h"
#include "tests/support/source_path.h"
#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic, builders::Unanswered;
using ::testing::HasSubstr;

v1::AuditReport Judge(const HostBuilder& host) { return AuditOf({host}).Report(); }

bool IsUnknown(const v1::AuditReport& report, std::string_view check_id) {
  return Only(report, check_id).status() == v1::CHECK_STATUS_UNKNOWN;
}

std::vector<std::string> PortsUsed(const std::vector<const char*>& interfaces) {
  const HostBuilder host("gpu1", 1, Nic::kMlx5, 3);
  EffectivePolicy policy;
  for (const char* name : interfaces) policy.job.add_interfaces(name);
  HostBuilder copy = host;
  const HostInput input{.host = "gpu1", .facts = &copy.facts(), .policy = &policy};
  const HostView view(input);
  std::vector<std::string> names;
  for (const PortView& port : view.ports()) names.push_back(port.device->name());
  return names;
}

TEST(JobInterfaces, AreNamesPatternsAndWhatIsLeftOut) {
  using ::testing::ElementsAre;
  EXPECT_THAT(PortsUsed({}), ElementsAre("mlx5_0", "mlx5_1", "mlx5_2"));
  EXPECT_THAT(PortsUsed({"mlx5_1", "mlx5_2:1"}), ElementsAre("mlx5_1", "mlx5_2"));
  EXPECT_THAT(PortsUsed({"mlx5_1:2"}), ElementsAre());
  EXPECT_THAT(PortsUsed({"mlx5*"}), ElementsAre("mlx5_0", "mlx5_1", "mlx5_2"));
  EXPECT_THAT(PortsUsed({"ens1"}), ElementsAre("mlx5_1"));
  EXPECT_THAT(PortsUsed({"^mlx5_1"}), ElementsAre("mlx5_0", "mlx5_2"));
  EXPECT_THAT(PortsUsed({"^mlx5_1*", "^mlx5_2:1"}), ElementsAre("mlx5_0"));
  EXPECT_THAT(PortsUsed({"mlx5*", "^mlx5_0"}), ElementsAre("mlx5_1", "mlx5_2"));
}

// Whether a NIC that is left out is there is nobody's question; but some port there must be.
TEST(JobInterfaces, MayLeaveOutWhatIsNotThere) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5)});
  audit.policy.job.add_interfaces("^mlx5_7");
  EXPECT_EQ(Find(audit.Report(), "device.rdma-present"), nullptr);
  audit.policy.job.add_interfaces("^mlx5_0");
  EXPECT_EQ(Only(audit.Report(), "device.rdma-present").status(), v1::CHECK_STATUS_FAIL);
}

TEST(Pcie, IsNotDegradedWhereTheSlotCanDoNoMore) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  v1::PciFunction& card = host.pci();
  card.mutable_path_to_root(0)->set_current_width_lanes(8);
  card.mutable_path_to_root(1)->set_current_width_lanes(8);
  card.mutable_path_to_root(1)->set_max_width_lanes(8);

  EXPECT_EQ(TallyOf(Judge(host), "pcie.link").pass(), 1u);
}

TEST(Pcie, HasNoLinkWithinASwitch) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  v1::PciFunction& card = host.pci();
  // The upper port of a switch and the root port: a link that is slower than the switch's own
  // ports.
  v1::PciHop upper = card.path_to_root(1), root = card.path_to_root(1);
  for (v1::PciHop* hop : {&upper, &root}) hop->set_current_width_lanes(8);
  root.set_max_width_lanes(8);
  *card.add_path_to_root() = upper;
  *card.add_path_to_root() = root;
  EXPECT_EQ(TallyOf(Judge(host), "pcie.link").pass(), 1u);

  card.mutable_path_to_root(3)->set_max_width_lanes(16);
  EXPECT_THAT(Only(Judge(host), "pcie.link").actual(), HasSubstr("x8 between"));
}

TEST(Pcie, IsUnknownWhereAHopWasNotRead) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  v1::PciHop& bridge = *host.pci().mutable_path_to_root(1);
  bridge.Clear();
  *bridge.mutable_reading() = Unanswered(v1::OUTCOME_ABSENT, v1::SOURCE_SYSFS);

  EXPECT_TRUE(IsUnknown(Judge(host), "pcie.link"));
}

TEST(Pcie, OfAVirtualFunctionIsThatOfItsPhysicalOne) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.MakeVirtual();
  host.facts().mutable_pci_functions(0)->clear_path_to_root();
  host.facts().mutable_pci_functions(1)->mutable_path_to_root(0)->set_current_width_lanes(4);

  EXPECT_EQ(Only(Judge(host), "pcie.link").subject().label(), "gpu1 pf0 of ens0 (mlx5_0)");
}

TEST(Pcie, DoesNotLimitSoftRoce) {
  HostBuilder host("host1", 1);
  for (v1::PciHop& hop : *host.pci().mutable_path_to_root()) {
    hop.set_current_width_lanes(1);
    hop.set_max_width_lanes(1);
  }

  EXPECT_EQ(TallyOf(Judge(host), "pcie.bandwidth").not_applicable(), 1u);
}

TEST(Iommu, IsUnknownWithoutAGroup) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.pci().clear_iommu_domain_type();

  EXPECT_TRUE(IsUnknown(Judge(host), "iommu.passthrough"));
}

TEST(TwoRailsInOneSubnet, AreNoFaultWhereArpIsKeptApart) {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  host.net(1).mutable_addresses()->mutable_addresses(0)->set_address("10.77.0.101");
  host.facts().mutable_ip_stack()->mutable_routes(1)->set_destination("10.77.0.0/24");
  EXPECT_EQ(TallyOf(Judge(host), "address.arp-flux").fail(), 2u);

  for (int rail : {0, 1}) {
    host.net(rail).mutable_sysctl()->set_arp_ignore(1);
    host.net(rail).mutable_sysctl()->set_arp_announce(2);
  }
  EXPECT_EQ(TallyOf(Judge(host), "address.arp-flux").pass(), 2u);

  // It answers nobody.
  host.net(1).mutable_sysctl()->set_arp_ignore(8);
  EXPECT_EQ(TallyOf(Judge(host), "address.arp-flux").fail(), 1u);

  for (int rail : {0, 1}) {
    host.net(rail).clear_sysctl();
  }
  EXPECT_EQ(TallyOf(Judge(host), "address.arp-flux").unknown(), 2u);
}

TEST(Routes, MayBeToMoreThanTheRailButNotToAll) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  v1::IpRoute& route = *host.facts().mutable_ip_stack()->mutable_routes(0);
  route.set_destination("10.76.0.0/15");
  EXPECT_EQ(TallyOf(Judge(host), "route.rail-device").pass(), 1u);

  for (const char* other : {"0.0.0.0/0", "10.77.0.0/25", "10.78.0.0/15"}) {
    route.set_destination(other);
    EXPECT_EQ(TallyOf(Judge(host), "route.rail-device").fail(), 1u) << other;
  }
}

TEST(FlatFabric, ComparesEachPortOfAHostWithItsLikeOfTheOthers) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5, 2), HostBuilder("gpu2", 2, Nic::kMlx5, 2),
                 HostBuilder("gpu3", 3, Nic::kMlx5, 2)});
  for (size_t i = 0; i < 3; ++i) {
    audit.host(i).net(1).mutable_addresses()->mutable_addresses(0)->set_address(
        fmt::format("10.77.0.{}", 101 + i));
  }
  EXPECT_EQ(Find(audit.Report(), "name.odd-one-out"), nullptr);
  EXPECT_EQ(Find(audit.Report(), "slot.odd-one-out"), nullptr);

  audit.host(1).rdma(1).set_name("rocep1s0");
  EXPECT_THAT(Only(audit.Report(), "name.odd-one-out").subject().label(), HasSubstr("gpu2"));
}

TEST(Bonds, AreUnknownWhereAPortShowsNoNetDevice) {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  host.port(1).clear_net_device_id();

  const v1::AuditReport report = Judge(host);

  for (const char* id : {"bond.mode", "bond.members-up", "bond.hash-policy"}) {
    EXPECT_THAT(Only(report, id).reason(), HasSubstr("in this network namespace")) << id;
    EXPECT_EQ(Only(report, id).subject().device_id(), host.rdma(1).id()) << id;
    EXPECT_EQ(TallyOf(report, id).not_applicable(), 0u) << id;
    EXPECT_NE(Only(report, id).caused_by(), "") << "one net device out of sight is one unknown";
  }
}

TEST(Bonds, ArePassedOverWhereNoPortIsInOne) {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  EXPECT_EQ(TallyOf(Judge(host), "bond.mode").not_applicable(), 1u);
}

TEST(JobGidIndex, IsUnknownWhereTheVersionOrTheOwnerWasNotRead) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5)});
  audit.policy.job.set_gid_index(1);
  v1::Gid& gid = *audit.host().port().mutable_gid_table()->mutable_gids(1);
  gid.set_type(v1::GID_TYPE_UNSPECIFIED);
  EXPECT_TRUE(IsUnknown(audit.Report(), "job.gid-index"));

  // The GID may be of a VLAN on the port: what lies on what was not read.
  gid.set_type(v1::GID_TYPE_ROCE_V2);
  gid.set_net_device_id("net:eth7");
  *audit.host().net().mutable_link() = {};
  EXPECT_TRUE(IsUnknown(audit.Report(), "job.gid-index"));
}

TEST(Ets, OfBnxtIsUnknownWhereNothingWasSetThroughTheKernel) {
  HostBuilder host("gpu1", 1, Nic::kBnxt);
  host.WithPfc({});
  v1::Ets& ets = *host.net().mutable_dcb()->mutable_ets();
  for (uint32_t& value : *ets.mutable_priority_to_class()) value = 0;
  for (uint32_t& value : *ets.mutable_tx_bandwidth_percent()) value = 0;

  EXPECT_TRUE(IsUnknown(Judge(host), "ets.roce-bandwidth"));
  EXPECT_TRUE(IsUnknown(Judge(host), "ets.roce-class"));
}

TEST(Ets, AsMlx5HasItAfterBootIsNoFault) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  v1::Ets& ets = *host.net().mutable_dcb()->mutable_ets();
  ets.set_priority_to_class(0, 1);
  ets.set_priority_to_class(1, 0);
  for (int i = 0; i < 8; ++i) {
    ets.set_tx_bandwidth_percent(i, 0);
    ets.set_selection_algorithm(i, "vendor");
  }

  EXPECT_EQ(Find(Judge(host), "ets.roce-bandwidth"), nullptr);
  EXPECT_EQ(Find(Judge(host), "ets.roce-class"), nullptr);
}

TEST(Buffers, OfADriverThatDoesNotShowThemAreUnknown) {
  EXPECT_TRUE(IsUnknown(Judge(HostBuilder("gpu1", 1, Nic::kIce)), "buffer.lossless"));
}

TEST(Buffers, AreUnknownWhereNobodyKnowsHowLargeAPacketIs) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.net().clear_mtu();

  EXPECT_TRUE(IsUnknown(Judge(host), "buffer.lossless"));
}

TEST(Willing, IsNotKnownWithoutTheEtsTable) {
  HostBuilder host("gpu1", 1);
  host.net().mutable_dcb()->clear_ets();

  EXPECT_TRUE(IsUnknown(Judge(host), "dcbx.settings-hold"));
}

TEST(Willing, IsWhatHns3SaysAlways) {
  HostBuilder host("gpu1", 1);
  host.net().mutable_driver()->set_name("hns3");
  host.net().mutable_dcb()->mutable_ets()->set_willing(true);

  EXPECT_EQ(Find(Judge(host), "dcbx.settings-hold"), nullptr);
}

TEST(SwitchPfc, IsTakenFromLldpWhereTheDriverDoesNotTell) {
  HostBuilder host("gpu1", 1);
  *host.net().mutable_dcb()->mutable_peer_pfc() = {};
  EXPECT_TRUE(IsUnknown(Judge(host), "pfc.peer-agrees"));

  v1::Lldp& lldp = *host.net().mutable_lldp();
  *lldp.mutable_reading() = builders::Answered(v1::SOURCE_LLDP_FRAME);
  v1::Pfc& peer = *lldp.add_neighbours()->mutable_dcb()->mutable_pfc();
  *peer.mutable_reading() = builders::Answered(v1::SOURCE_LLDP_FRAME);
  peer.add_enabled_priorities(4);
  EXPECT_EQ(Only(Judge(host), "pfc.peer-agrees").actual(), "the switch says PFC on priority 4");
}

TEST(SwitchPfc, OnMorePrioritiesThanTheHostsIsNoFaultOfTheLink) {
  HostBuilder host("gpu1", 1);
  host.net().mutable_dcb()->mutable_peer_pfc()->add_enabled_priorities(4);

  EXPECT_EQ(TallyOf(Judge(host), "pfc.peer-agrees").pass(), 1u);
}

TEST(Pause, IsNotJudgedWhereNoPriorityIsLossless) {
  AuditOf audit({HostBuilder("gpu1", 1)});
  audit.policy.intent.clear_lossless_priorities();
  audit.host().net().mutable_pause()->set_tx(true);

  EXPECT_EQ(Find(audit.Report(), "pause.with-pfc"), nullptr);
}

TEST(Pause, IsUnknownWhereTheDriverHasNoInterface) {
  HostBuilder host("gpu1", 1);
  *host.net().mutable_pause() = {};
  *host.net().mutable_pause()->mutable_reading() =
      Unanswered(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_ETHTOOL_NETLINK);

  EXPECT_TRUE(IsUnknown(Judge(host), "pause.with-pfc"));
}

TEST(Fec, IsNotNeededOnSlowLanes) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.net().mutable_ethernet()->set_lanes(4);
  host.net().mutable_ethernet()->set_fec_active("None");

  EXPECT_EQ(TallyOf(Judge(host), "link.fec").not_applicable(), 1u);
}

TEST(Health, OfADriverWithoutReportersDoesNotMatter) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.pci().mutable_health()->clear_reporters();

  EXPECT_EQ(TallyOf(Judge(host), "device.health").not_applicable(), 1u);
}

TEST(Limits, AreUnknownWhereNothingStartsJobs) {
  HostBuilder host("gpu1", 1);
  v1::JobLimits& limits = *host.facts().mutable_kernel()->mutable_job_limits();
  limits.Clear();
  *limits.mutable_reading() = Unanswered(v1::OUTCOME_ABSENT, v1::SOURCE_PROCFS);

  EXPECT_TRUE(IsUnknown(Judge(host), "limits.locked-memory"));
  EXPECT_TRUE(IsUnknown(Judge(host), "limits.open-files"));
}

TEST(MarkedPackets, ThatAreAnsweredAreNoFault) {
  HostBuilder host("gpu1", 1);
  host.WithCounter(v1::COUNTER_ID_ECN_MARKED, 900).WithCounter(v1::COUNTER_ID_CNP_SENT, 12);

  EXPECT_EQ(Find(Judge(host), "ecn.cnp-answered"), nullptr);
}

// Three hosts as the one recorded in our lab, under the policy that goes with it. A fault must come
// out as one root cause and no more, whatever else follows from it.
class RecordedLab : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream stream(SourcePath("tests/hosts/lab-guest/facts.json"));
    std::stringstream text;
    text << stream.rdbuf();
    const auto file = ParseFactsFile(text.str(), "lab-guest");
    ASSERT_TRUE(file.ok()) << file.status();
    const PolicyResult loaded =
        LoadPolicyFile(SourcePath("checks/policy/policies/lab.yaml"), {.now = kNow});
    ASSERT_TRUE(loaded.ok()) << RenderPolicyResult(loaded);
    policy_ = loaded.policy->ForHost("host1");
    for (int number = 1; number <= 3; ++number) {
      v1::HostFacts& facts = hosts_.emplace_back(file->facts());
      facts.mutable_identity()->set_host("host" + std::to_string(number));
      // The guest's node was open to all; what was recorded is the mode of a file in git.
      facts.mutable_rdma_devices(0)->mutable_uverbs()->set_mode(0666);
      v1::NetDevice& net = NetOf(facts);
      net.mutable_link()->set_mac("52:54:00:77:00:0" + std::to_string(number));
      const std::string address = "10.77.0." + std::to_string(number);
      net.mutable_addresses()->mutable_addresses(0)->set_address(address);
      facts.mutable_rdma_devices(0)
          ->mutable_ports(0)
          ->mutable_gid_table()
          ->mutable_gids()
          ->rbegin()
          ->set_gid("::ffff:" + address);
    }
    before_ = Roots();
  }

  static v1::NetDevice& NetOf(v1::HostFacts& facts) {
    for (v1::NetDevice& net : *facts.mutable_net_devices()) {
      if (net.name() == "eth0") return net;
    }
    ADD_FAILURE() << "no eth0";
    return *facts.add_net_devices();
  }
  v1::NetDevice& net2() { return NetOf(hosts_[1]); }
  v1::RdmaPort& port2() { return *hosts_[1].mutable_rdma_devices(0)->mutable_ports(0); }

  std::vector<std::string> Roots() const {
    AuditInput input{.hosts = {}, .fleet = {.policy = &policy_, .now = kNow}};
    for (const v1::HostFacts& facts : hosts_) {
      input.hosts.push_back({.host = facts.identity().host(), .facts = &facts, .policy = &policy_});
    }
    return RootsOf(Evaluate(input));
  }
  // What has come since SetUp().
  std::vector<std::string> NewRoots() const {
    std::vector<std::string> come;
    for (const std::string& root : Roots()) {
      if (std::ranges::find(before_, root) == before_.end()) come.push_back(root);
    }
    return come;
  }

  EffectivePolicy policy_;
  std::vector<v1::HostFacts> hosts_;
  std::vector<std::string> before_;
};

TEST_F(RecordedLab, HasNoFault) {
  for (const std::string& root : before_) EXPECT_THAT(root, ::testing::StartsWith("UNKNOWN "));
}

TEST_F(RecordedLab, WithPfcOffHasOneFault) {
  net2().mutable_dcb()->mutable_pfc()->clear_enabled_priorities();
  EXPECT_THAT(NewRoots(), ::testing::ElementsAre("FAIL pfc.lossless-priority host2"));
}

TEST_F(RecordedLab, WithPfcOnAnotherPriorityHasOneFault) {
  net2().mutable_dcb()->mutable_pfc()->set_enabled_priorities(0, 4);
  EXPECT_THAT(NewRoots(), ::testing::ElementsAre("FAIL pfc.lossless-priority host2"));
}

TEST_F(RecordedLab, WithMtu1500HasOneFault) {
  net2().mutable_mtu()->set_mtu_bytes(1500);
  port2().mutable_attributes()->set_active_mtu_bytes(1024);
  EXPECT_THAT(NewRoots(), ::testing::ElementsAre("FAIL mtu.netdev host2"));
}

TEST_F(RecordedLab, WithoutItsIpv4AddressHasOneFault) {
  net2().mutable_addresses()->mutable_addresses()->DeleteSubrange(0, 1);
  port2().mutable_gid_table()->mutable_gids()->RemoveLast();
  // The kernel takes the route along.
  auto& routes = *hosts_[1].mutable_ip_stack()->mutable_routes();
  for (int i = routes.size() - 1; i >= 0; --i) {
    if (routes[i].destination() == "10.77.0.0/24") routes.DeleteSubrange(i, 1);
  }
  EXPECT_THAT(NewRoots(), ::testing::ElementsAre("FAIL gid.rocev2-ipv4 host2"));
}

TEST_F(RecordedLab, WithoutItsDscpEntryHasOneFault) {
  net2().mutable_dcb()->mutable_app()->mutable_entries()->DeleteSubrange(0, 1);
  EXPECT_THAT(NewRoots(), ::testing::ElementsAre("FAIL qos.dscp-priority host2"));
}

TEST_F(RecordedLab, WithThePortDownHasOneFault) {
  port2().set_state(v1::PORT_STATE_DOWN);
  net2().mutable_ethernet()->clear_speed_mbps();
  hosts_[1].mutable_ip_stack()->clear_routes();
  EXPECT_THAT(NewRoots(), ::testing::ElementsAre("FAIL port.active host2"));
}

TEST_F(RecordedLab, WithAHangUnderTheRoutingLockHasOneUnknown) {
  const v1::Reading hung = Unanswered(v1::OUTCOME_TIMED_OUT, v1::SOURCE_RTNETLINK);
  v1::NetDevice& net = net2();
  net.clear_link();
  net.clear_addresses();
  net.clear_ethernet();
  net.clear_pause();
  net.clear_dcb();
  *net.mutable_link()->mutable_reading() = hung;
  *net.mutable_addresses()->mutable_reading() = hung;
  *net.mutable_ethernet()->mutable_reading() = hung;
  *net.mutable_pause()->mutable_reading() = hung;
  *net.mutable_dcb()->mutable_pfc()->mutable_reading() = hung;
  hosts_[1].clear_ip_stack();
  *hosts_[1].mutable_ip_stack()->mutable_reading() = hung;
  port2().clear_state();
  *port2().mutable_reading() = hung;
  port2().clear_attributes();
  *port2().mutable_attributes()->mutable_reading() = hung;

  EXPECT_THAT(NewRoots(), ::testing::ElementsAre("UNKNOWN port.active host2"));
}

}  // namespace
}  // namespace roceready::checks
