// SPDX-License-Identifier: Apache-2.0
#include "tests/support/builders/facts_builder.h"

#include <fmt/core.h>

#include "proto/contract/ids.h"
#include "tests/support/builders/surroundings.h"

namespace roceready::builders {
namespace {

struct NicWords {
  std::string_view net_driver, pci_driver, rdma_driver, net_prefix, rdma_prefix, version_name;
  uint32_t vendor, device;
};

NicWords WordsOf(Nic nic) {
  switch (nic) {
    case Nic::kMlx5:
      return {"mlx5_core", "mlx5_core", "mlx5", "ens", "mlx5_", "fw.version", 0x15b3, 0x101d};
    case Nic::kBnxt:
      return {"bnxt_en", "bnxt_en", "bnxt_re", "ens", "bnxt_re", "fw", 0x14e4, 0x1750};
    case Nic::kIce:
      return {"ice", "ice", "irdma", "ens", "irdma", "fw.mgmt", 0x8086, 0x1592};
    case Nic::kLab:
      break;
  }
  return {"virtio_net", "virtio-pci", "rxe", "eth", "rxe", "fw.version", 0x1af4, 0x1041};
}

std::string AddressOf(int rail) { return fmt::format("0000:3{}:00.0", rail); }

void AddDcb(v1::Dcb& dcb) {
  *dcb.mutable_pfc()->mutable_reading() = Answered(v1::SOURCE_DCBNL);
  dcb.mutable_pfc()->set_capable_classes(8);
  dcb.mutable_pfc()->add_enabled_priorities(3);
  *dcb.mutable_ets()->mutable_reading() = Answered(v1::SOURCE_DCBNL);
  for (uint32_t priority = 0; priority < 8; ++priority) {
    dcb.mutable_ets()->add_priority_to_class(priority);
    dcb.mutable_ets()->add_tx_bandwidth_percent(priority == 0 || priority == 3 ? 50 : 0);
    dcb.mutable_ets()->add_selection_algorithm(priority < 6 ? "ets" : "strict");
  }
  dcb.mutable_ets()->set_willing(false);
  *dcb.mutable_app()->mutable_reading() = Answered(v1::SOURCE_DCBNL);
  *dcb.mutable_dcbx()->mutable_reading() = Answered(v1::SOURCE_DCBNL);
  dcb.mutable_dcbx()->add_modes("host");
  dcb.mutable_dcbx()->add_modes("ieee");
}

// Of these, only mlx5 (and the lab's NIC) show their receive buffers.
void AddBuffer(Nic nic, v1::PortBuffer& buffer) {
  if (nic != Nic::kLab && nic != Nic::kMlx5) {
    *buffer.mutable_reading() = Unanswered(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_DCBNL);
    return;
  }
  *buffer.mutable_reading() = Answered(v1::SOURCE_DCBNL);
  for (uint32_t priority = 0; priority < 8; ++priority) {
    buffer.add_priority_to_buffer(priority == 3 ? 1 : 0);
    buffer.add_buffer_bytes(priority < 2 ? 131072 : 0);
  }
}

void AddPeerPfc(v1::Pfc& pfc) {
  *pfc.mutable_reading() = Answered(v1::SOURCE_DCBNL);
  pfc.add_enabled_priorities(3);
}

// A card of PCIe 4.0 x16 in a slot of the same.
void AddPcie(v1::PciFunction& pci, const std::string& address, int rail) {
  pci.set_numa_node(rail % 2);
  pci.set_iommu_domain_type("identity");
  for (const std::string& hop_address : {address, fmt::format("0000:2{}:01.0", rail)}) {
    v1::PciHop& hop = *pci.add_path_to_root();
    hop.set_address(hop_address);
    *hop.mutable_reading() = Answered(v1::SOURCE_SYSFS);
    hop.set_current_speed_mtps(16'000);
    hop.set_max_speed_mtps(16'000);
    hop.set_current_width_lanes(16);
    hop.set_max_width_lanes(16);
  }
  *pci.mutable_health()->mutable_reading() = Answered(v1::SOURCE_DEVLINK);
  v1::HealthReporter& reporter = *pci.mutable_health()->add_reporters();
  reporter.set_name("fw");
  reporter.set_state("healthy");
}

void AddKernel(Nic nic, v1::HostFacts& facts) {
  v1::KernelFacts& kernel = *facts.mutable_kernel();
  *kernel.mutable_reading() = Answered(v1::SOURCE_PROCFS);
  kernel.set_release("6.1.0-57-amd64");
  v1::KernelModule& module = *kernel.add_modules();
  module.set_name(nic == Nic::kLab ? "rdma_rxe" : "ib_core");
  module.set_srcversion("B7C2C2D4E5F60718293A4B5");
  *kernel.mutable_job_limits()->mutable_reading() = Answered(v1::SOURCE_PROCFS);
  kernel.mutable_job_limits()->set_memlock_unlimited(true);
  kernel.mutable_job_limits()->set_open_files(131'072);
  *facts.mutable_ip_stack()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
}

void AddCongestion(Nic nic, v1::CongestionControl& congestion) {
  if (nic != Nic::kMlx5) {
    *congestion.mutable_reading() =
        Unanswered(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_SYSFS, {}, "no interface in this driver");
    return;
  }
  *congestion.mutable_reading() = Answered(v1::SOURCE_VENDOR_SYSFS);
  for (v1::PriorityMask* mask :
       {congestion.mutable_notification_point(), congestion.mutable_reaction_point()}) {
    *mask->mutable_reading() = Answered(v1::SOURCE_VENDOR_SYSFS);
    for (uint32_t priority = 0; priority < 8; ++priority) mask->add_enabled_priorities(priority);
  }
  *congestion.mutable_parameters()->mutable_reading() = Answered(v1::SOURCE_VENDOR_SYSFS);
  congestion.mutable_parameters()->set_cnp_dscp(48);
  congestion.mutable_parameters()->set_cnp_priority(6);
}

}  // namespace

HostBuilder::HostBuilder(std::string_view host, uint32_t number, Nic nic, int rails) {
  facts_.set_schema_version(1);
  facts_.mutable_identity()->set_host(std::string(host));
  facts_.mutable_identity()->set_machine_id(fmt::format("machine-{}", number));
  *facts_.mutable_pci_scan() = Answered(v1::SOURCE_SYSFS);
  *facts_.mutable_net_scan() = Answered(v1::SOURCE_RTNETLINK);
  *facts_.mutable_rdma_scan() = Answered(v1::SOURCE_RDMA_NETLINK);
  AddKernel(nic, facts_);
  for (int rail = 0; rail < rails; ++rail) AddRail(host, number, nic, rail);
  AddSurroundings(nic, facts_);
  AddLinkCounters(facts_, counters_);
}

void HostBuilder::AddRail(std::string_view, uint32_t number, Nic nic, int rail) {
  const NicWords words = WordsOf(nic);
  const std::string address = AddressOf(rail);

  v1::PciFunction& pci = *facts_.add_pci_functions();
  pci.set_id(PciId(address));
  *pci.mutable_reading() = Answered(v1::SOURCE_SYSFS);
  pci.set_vendor(words.vendor);
  pci.set_device(words.device);
  pci.set_driver(std::string(words.pci_driver));
  pci.set_adapter_id(fmt::format("serial-{}-{}", number, rail));
  *pci.mutable_firmware()->mutable_reading() = Answered(v1::SOURCE_DEVLINK);
  pci.mutable_firmware()->set_psid("LAB0000000001");
  v1::FirmwareVersion& running = *pci.mutable_firmware()->add_running();
  running.set_name(std::string(words.version_name));
  running.set_value("28.39.1002");
  *pci.mutable_firmware()->add_stored() = running;
  AddPcie(pci, address, rail);
  AddPciSettings(nic, rail, pci);

  v1::NetDevice& net = *facts_.add_net_devices();
  net.set_id(PciNetDeviceId(address, 0));
  net.set_index(static_cast<uint32_t>(rail) + 2);
  net.set_name(fmt::format("{}{}", words.net_prefix, rail));
  *net.mutable_mtu()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  net.mutable_mtu()->set_mtu_bytes(9000);
  *net.mutable_link()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  net.mutable_link()->set_operstate("UP");
  net.mutable_link()->set_carrier(true);
  net.mutable_link()->set_admin_up(true);
  net.mutable_link()->set_mac(fmt::format("52:54:00:77:{:02x}:{:02x}", rail, number));
  *net.mutable_ethernet()->mutable_reading() = Answered(v1::SOURCE_ETHTOOL_NETLINK);
  net.mutable_ethernet()->set_speed_mbps(100'000);
  net.mutable_ethernet()->set_lanes(2);
  net.mutable_ethernet()->set_fec_active("RS");
  *net.mutable_pause()->mutable_reading() = Answered(v1::SOURCE_ETHTOOL_NETLINK);
  net.mutable_pause()->set_rx(false);
  net.mutable_pause()->set_tx(false);
  *net.mutable_sysctl()->mutable_reading() = Answered(v1::SOURCE_PROCFS);
  net.mutable_sysctl()->set_rp_filter(2);
  net.mutable_sysctl()->set_arp_ignore(0);
  net.mutable_sysctl()->set_arp_announce(0);
  net.mutable_sysctl()->set_arp_filter(0);
  *net.mutable_driver()->mutable_reading() = Answered(v1::SOURCE_ETHTOOL_IOCTL);
  net.mutable_driver()->set_name(std::string(words.net_driver));
  *net.mutable_addresses()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  v1::IpAddress& ip = *net.mutable_addresses()->add_addresses();
  ip.set_address(fmt::format("10.77.{}.{}", rail, number));
  ip.set_prefix_bits(24);
  ip.set_permanent(true);
  ip.set_scope("global");
  v1::IpRoute& route = *facts_.mutable_ip_stack()->add_routes();
  route.set_table(254);
  route.set_destination(fmt::format("10.77.{}.0/24", rail));
  route.set_net_device_id(net.id());
  AddDcb(*net.mutable_dcb());
  AddBuffer(nic, *net.mutable_dcb()->mutable_buffer());
  AddPeerPfc(*net.mutable_dcb()->mutable_peer_pfc());
  AddPortSurroundings(nic, net);

  v1::RdmaDevice& rdma = *facts_.add_rdma_devices();
  rdma.set_id(nic == Nic::kLab ? SoftRdmaDeviceId(net.id()) : PciRdmaDeviceId(address));
  rdma.set_index(static_cast<uint32_t>(rail));
  rdma.set_name(fmt::format("{}{}", words.rdma_prefix, rail));
  *rdma.mutable_reading() = Answered(v1::SOURCE_RDMA_NETLINK);
  rdma.set_driver(std::string(words.rdma_driver));
  rdma.set_protocol("roce");
  *rdma.mutable_uverbs()->mutable_reading() = Answered(v1::SOURCE_FILE);
  rdma.mutable_uverbs()->set_path(fmt::format("/dev/infiniband/uverbs{}", rail));
  rdma.mutable_uverbs()->set_mode(0666);
  *rdma.mutable_attributes()->mutable_reading() = Answered(v1::SOURCE_VERBS);
  rdma.mutable_attributes()->set_max_qp(262'144);

  v1::RdmaPort& port = *rdma.add_ports();
  port.set_number(1);
  *port.mutable_reading() = Answered(v1::SOURCE_RDMA_NETLINK);
  port.set_state(v1::PORT_STATE_ACTIVE);
  port.set_physical_state("LINK_UP");
  port.set_net_device_id(net.id());
  *port.mutable_attributes()->mutable_reading() = Answered(v1::SOURCE_VERBS);
  port.mutable_attributes()->set_active_mtu_bytes(4096);
  port.mutable_attributes()->set_max_mtu_bytes(4096);
  port.mutable_attributes()->set_link_layer("Ethernet");
  port.mutable_attributes()->set_lid(0);
  *port.mutable_gid_table()->mutable_reading() = Answered(v1::SOURCE_VERBS);
  v1::Gid& link_local = *port.mutable_gid_table()->add_gids();
  link_local.set_index(0);
  link_local.set_gid("fe80::5054:ff:fe00:1");
  link_local.set_type(v1::GID_TYPE_ROCE_V2);
  link_local.set_net_device_id(net.id());
  v1::Gid& gid = *port.mutable_gid_table()->add_gids();
  gid.set_index(1);
  gid.set_gid(fmt::format("::ffff:10.77.{}.{}", rail, number));
  gid.set_type(v1::GID_TYPE_ROCE_V2);
  gid.set_net_device_id(net.id());
  AddCongestion(nic, *port.mutable_congestion());
  AddCmDefaults(port);

  v1::PortCounters& counters = *counters_.add_ports();
  counters.set_owner_id(RdmaPortOwnerId(rdma.id(), 1));
  *counters.mutable_reading() = Answered(v1::SOURCE_RDMA_NETLINK);
  counters.mutable_window()->set_seconds(60);
  WithCounter(v1::COUNTER_ID_OUT_OF_SEQUENCE, 0, rail);
  WithCounter(v1::COUNTER_ID_RETRANSMITS, 0, rail);
  WithCounter(v1::COUNTER_ID_LINK_DOWN, 0, rail);
  WithCounter(v1::COUNTER_ID_CNP_IGNORED, 0, rail);
  WithCounter(v1::COUNTER_ID_ECN_MARKED, 0, rail);
  WithCounter(v1::COUNTER_ID_CNP_SENT, 0, rail);
  WithCounter(v1::COUNTER_ID_OUT_OF_BUFFER, 0, rail);
  WithCounter(v1::COUNTER_ID_RNR_NAKS, 0, rail);
  // In DSCP order, as the agent folds it.
  if (nic == Nic::kMlx5) {
    // mlx5 holds all 64 while it trusts DSCP, DSCP / 8 by default.
    std::vector<std::pair<uint32_t, uint32_t>> all;
    for (uint32_t dscp = 0; dscp < 64; ++dscp) all.emplace_back(dscp, dscp >> 3);
    WithDscp(all, rail);
  } else {
    WithDscp({{26, 3}, {48, 6}}, rail);
  }
}

HostBuilder& HostBuilder::WithPfc(std::vector<uint32_t> priorities, int rail) {
  net(rail).mutable_dcb()->mutable_pfc()->clear_enabled_priorities();
  for (const uint32_t priority : priorities) {
    net(rail).mutable_dcb()->mutable_pfc()->add_enabled_priorities(priority);
  }
  return *this;
}

HostBuilder& HostBuilder::WithDscp(std::vector<std::pair<uint32_t, uint32_t>> entries, int rail) {
  v1::AppTable& table = *net(rail).mutable_dcb()->mutable_app();
  table.clear_entries();
  for (const auto& [dscp, priority] : entries) {
    v1::AppEntry* entry = nullptr;
    for (v1::AppEntry& known : *table.mutable_entries()) {
      if (known.priority() == priority) entry = &known;
    }
    if (entry == nullptr) entry = table.add_entries();
    entry->set_selector("dscp");
    entry->set_priority(priority);
    entry->add_protocols(dscp);
  }
  return *this;
}

HostBuilder& HostBuilder::WithMtu(uint32_t net_device, uint32_t rdma, int rail) {
  net(rail).mutable_mtu()->set_mtu_bytes(net_device);
  port(rail).mutable_attributes()->set_active_mtu_bytes(rdma);
  return *this;
}

HostBuilder& HostBuilder::WithFirmware(std::string_view version, int rail) {
  pci(rail).mutable_firmware()->mutable_running(0)->set_value(std::string(version));
  pci(rail).mutable_firmware()->mutable_stored(0)->set_value(std::string(version));
  return *this;
}

HostBuilder& HostBuilder::WithoutGids(int rail) {
  port(rail).mutable_gid_table()->clear_gids();
  return *this;
}

HostBuilder& HostBuilder::WithAddress(std::string_view ipv4, int rail) {
  net(rail).mutable_addresses()->mutable_addresses(0)->set_address(std::string(ipv4));
  port(rail).mutable_gid_table()->mutable_gids(1)->set_gid(fmt::format("::ffff:{}", ipv4));
  return *this;
}

HostBuilder& HostBuilder::WithIpv6(std::string_view address, int rail) {
  v1::IpAddress& added = *net(rail).mutable_addresses()->add_addresses();
  added.set_address(std::string(address));
  added.set_prefix_bits(64);
  added.set_permanent(true);
  added.set_tentative(false);
  added.set_scope("global");
  port(rail).mutable_gid_table()->mutable_gids(1)->set_gid(std::string(address));
  return *this;
}

HostBuilder& HostBuilder::WithPortDown(int rail) {
  port(rail).set_state(v1::PORT_STATE_DOWN);
  port(rail).set_physical_state("DISABLED");
  net(rail).mutable_link()->set_carrier(false);
  net(rail).mutable_link()->set_admin_up(false);
  net(rail).mutable_link()->set_operstate("DOWN");
  return *this;
}

HostBuilder& HostBuilder::WithCounter(v1::CounterId id, uint64_t delta, int rail) {
  v1::PortCounters& counters = port_counters(rail);
  v1::CounterSample* sample = nullptr;
  for (v1::CounterSample& known : *counters.mutable_samples()) {
    if (known.id() == id) sample = &known;
  }
  if (sample == nullptr) sample = counters.add_samples();
  sample->set_id(id);
  sample->set_total(1000 + delta);
  sample->set_delta(delta);
  return *this;
}

v1::NetDevice& HostBuilder::AddVlan(uint32_t vlan_id, int rail) {
  const std::string lower = net(rail).id(), name = net(rail).name();
  v1::NetDevice& vlan = *facts_.add_net_devices();
  vlan.set_id(NamedNetDeviceId(fmt::format("{}.{}", name, vlan_id)));
  vlan.set_name(fmt::format("{}.{}", name, vlan_id));
  *vlan.mutable_mtu()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  vlan.mutable_mtu()->set_mtu_bytes(9000);
  *vlan.mutable_link()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  vlan.mutable_link()->set_kind("vlan");
  vlan.mutable_link()->set_admin_up(true);
  vlan.mutable_link()->set_operstate("UP");
  vlan.mutable_link()->set_lower_id(lower);
  *vlan.mutable_addresses()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  *vlan.mutable_vlan()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  vlan.mutable_vlan()->set_vlan_id(vlan_id);
  *vlan.mutable_sysctl() = net(rail).sysctl();
  return vlan;
}

void HostBuilder::BondRails(int first, int second) {
  v1::NetDevice bond;
  bond.set_id(NamedNetDeviceId("bond0"));
  bond.set_name("bond0");
  *bond.mutable_mtu() = net(first).mtu();
  *bond.mutable_link()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  bond.mutable_link()->set_kind("bond");
  bond.mutable_link()->set_admin_up(true);
  bond.mutable_link()->set_operstate("UP");
  bond.mutable_link()->set_mac(net(first).link().mac());
  *bond.mutable_bond()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  bond.mutable_bond()->set_mode("802.3ad");
  bond.mutable_bond()->set_xmit_hash_policy("layer3+4");
  for (v1::IpRoute& route : *facts_.mutable_ip_stack()->mutable_routes()) {
    if (route.net_device_id() == net(first).id()) route.set_net_device_id(bond.id());
  }
  bond.mutable_addresses()->Swap(net(first).mutable_addresses());
  for (const int rail : {first, second}) {
    net(rail).mutable_link()->set_master_id(bond.id());
    v1::BondMember& member = *net(rail).mutable_bond_member();
    *member.mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
    member.set_mii_status("UP");
    member.set_aggregator_id(1);
  }
  for (v1::Gid& gid : *port(first).mutable_gid_table()->mutable_gids()) {
    gid.set_net_device_id(bond.id());
  }
  port(first).set_net_device_id(bond.id());
  facts_.mutable_rdma_devices()->DeleteSubrange(second, 1);
  *facts_.add_net_devices() = bond;
}

v1::NetDevice& HostBuilder::MakeVirtual(int rail) {
  const std::string physical = fmt::format("0000:8{}:00.0", rail);
  v1::PciFunction& function = *facts_.add_pci_functions();
  function = pci(rail);
  function.set_id(PciId(physical));
  pci(rail).set_physical_function_id(PciId(physical));
  v1::NetDevice& parent = *facts_.add_net_devices();
  parent = net(rail);
  parent.set_id(PciNetDeviceId(physical, 0));
  parent.set_name(fmt::format("pf{}", rail));
  parent.mutable_addresses()->clear_addresses();
  net(rail).clear_dcb();
  *net(rail).mutable_dcb()->mutable_pfc()->mutable_reading() =
      Unanswered(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_DCBNL);
  return parent;
}

EffectivePolicy HealthyPolicy() {
  EffectivePolicy policy;
  policy.name = "lossless-dscp";
  policy.digest = "d1";
  v1::FabricIntent& intent = policy.intent;
  intent.add_lossless_priorities(3);
  intent.set_roce_priority(3);
  intent.set_roce_dscp(26);
  intent.set_cnp_priority(6);
  intent.set_cnp_dscp(48);
  intent.set_mtu_bytes(9000);
  intent.set_rdma_mtu_bytes(4096);
  intent.set_trust("dscp");
  intent.set_congestion_control("dcqcn");
  intent.set_min_speed_mbps(100'000);
  intent.set_roce_version("v2");
  intent.set_ip_family("ipv4");
  SourcedHardwareRule rule;
  rule.rule.set_psid("LAB0000000001");
  rule.rule.set_min_firmware("28.39.1002");
  rule.source = "lossless-dscp.yaml:30";
  policy.hardware.push_back(rule);
  policy.sources["intent.lossless_priorities"] = "lossless-dscp.yaml:4";
  policy.sources["intent.mtu_bytes"] = "lossless-dscp.yaml:9";
  return policy;
}

}  // namespace roceready::builders
