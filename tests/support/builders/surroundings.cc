// SPDX-License-Identifier: Apache-2.0
#include "tests/support/builders/surroundings.h"

#include <fmt/core.h>

#include "proto/contract/ids.h"

namespace roceready::builders {
namespace {

bool HasGpus(Nic nic) { return nic == Nic::kMlx5; }

void AddFirewall(v1::Firewall& firewall) {
  *firewall.mutable_reading() = Answered(v1::SOURCE_NETFILTER);
  *firewall.mutable_legacy() = Unanswered(v1::OUTCOME_ABSENT, v1::SOURCE_PROCFS);
  for (const char* hook : {"input", "output"}) {
    v1::FirewallChain& chain = *firewall.add_chains();
    chain.set_family("inet");
    chain.set_table("filter");
    chain.set_name(hook);
    chain.set_hook(hook);
    chain.set_policy("accept");
    chain.set_rules(0);
  }
}

// One GPU beside each NIC, below the same bridge.
void AddGpus(v1::HostFacts& facts) {
  int number = 0;
  for (v1::PciFunction& function : *facts.mutable_pci_functions()) {
    v1::Gpu& gpu = *facts.add_gpus();
    gpu.set_id(PciId(fmt::format("0000:4{}:00.0", number++)));
    *gpu.mutable_reading() = Answered(v1::SOURCE_SYSFS);
    gpu.set_vendor(0x10de);
    gpu.set_device(0x2330);
    gpu.set_driver("nvidia");
    gpu.set_numa_node(function.numa_node());
    gpu.add_bridges(function.path_to_root(1).address());
    v1::GpuNearness& near = *function.add_gpus_near();
    near.set_gpu_id(gpu.id());
    near.set_common_bridge(gpu.bridges(0));
    near.set_same_numa_node(true);
  }
}

void AddModules(Nic nic, v1::KernelFacts& kernel) {
  if (HasGpus(nic)) kernel.add_modules()->set_name("nvidia_peermem");
  for (v1::KernelModule& module : *kernel.mutable_modules()) {
    module.set_srcversion("B7C2C2D4E5F60718293A4B5");
    module.set_srcversion_on_disk(module.srcversion());
    *module.mutable_on_disk() = Answered(v1::SOURCE_FILE);
  }
}

void AddUse(v1::HostFacts& facts) {
  *facts.mutable_rdma_use()->mutable_reading() = Answered(v1::SOURCE_RDMA_NETLINK);
  for (const v1::RdmaDevice& device : facts.rdma_devices()) {
    v1::RdmaDeviceUse& use = *facts.mutable_rdma_use()->add_devices();
    use.set_device_id(device.id());
    use.set_user_qps(0);
    use.set_kernel_qps(1);
    v1::RdmaUser& user = *use.add_users();
    user.set_name("ib_core");
    user.set_kernel(true);
    user.set_qps(1);
    user.set_qps_in_error(0);
  }
}

void AddCounter(v1::PortCounters& counters, v1::CounterId id) {
  v1::CounterSample& sample = *counters.add_samples();
  sample.set_id(id);
  sample.set_delta(0);
}

// One that a guest may have, without a word on what it sends.
void AddVirtualFunctions(Nic nic, v1::VirtualFunctions& functions) {
  if (nic != Nic::kMlx5) {
    *functions.mutable_reading() = Unanswered(v1::OUTCOME_ABSENT, v1::SOURCE_SYSFS);
    return;
  }
  *functions.mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  v1::VirtualFunction& function = *functions.add_functions();
  function.set_index(0);
  function.set_mac("52:54:00:00:00:01");
  function.set_vlan_id(0);
  function.set_vlan_priority(0);
  function.set_min_rate_mbps(0);
  function.set_max_rate_mbps(0);
  function.set_link_state("auto");
}

v1::PortCounters& AddOwner(v1::HostCounters& counters, std::string owner, v1::Source source) {
  v1::PortCounters& added = *counters.add_ports();
  added.set_owner_id(std::move(owner));
  *added.mutable_reading() = Answered(source);
  added.mutable_window()->set_seconds(60);
  return added;
}

}  // namespace

void AddSurroundings(Nic nic, v1::HostFacts& facts) {
  AddFirewall(*facts.mutable_firewall());
  AddModules(nic, *facts.mutable_kernel());
  v1::RdmaCgroup& cgroup = *facts.mutable_kernel()->mutable_job_limits()->mutable_rdma_cgroup();
  *cgroup.mutable_reading() = Answered(v1::SOURCE_SYSFS);
  if (HasGpus(nic)) AddGpus(facts);
  AddUse(facts);
  *facts.mutable_kernel_users()->mutable_reading() = Answered(v1::SOURCE_PROCFS);
  v1::KernelUser& storage = *facts.mutable_kernel_users()->add_users();
  storage.set_kind("nvme");
  storage.set_name("nvme0");
  storage.set_address("traddr=10.77.0.200,trsvcid=4420");
  storage.set_state("live");
  *facts.mutable_neighbours()->mutable_reading() = Answered(v1::SOURCE_RTNETLINK);
  *facts.mutable_lldp_daemons()->mutable_reading() = Answered(v1::SOURCE_FILE);
  *facts.mutable_rdma_stack()->mutable_reading() = Answered(v1::SOURCE_RDMA_NETLINK);
  facts.mutable_rdma_stack()->set_netns_mode("shared");
}

void AddPciSettings(Nic nic, int, v1::PciFunction& pci) {
  for (v1::PciHop& hop : *pci.mutable_path_to_root()) {
    *hop.mutable_config_space() = Answered(v1::SOURCE_PCI_CONFIG);
    hop.set_max_payload_bytes(256);
    hop.set_max_read_request_bytes(4096);
    hop.set_acs_control(0x01);
  }
  pci.set_power_state("D0");
  *pci.mutable_parameters()->mutable_reading() = Answered(v1::SOURCE_DEVLINK);
  if (nic != Nic::kMlx5) return;
  pci.set_rdma_family("mlx5");
  v1::DevlinkParameter& roce = *pci.mutable_parameters()->add_parameters();
  roce.set_name("enable_roce");
  roce.set_driverinit("true");
}

void AddPortSurroundings(Nic nic, v1::NetDevice& net) {
  net.mutable_sysctl()->set_ipv6_disabled(false);
  *net.mutable_transceiver()->mutable_reading() = Answered(v1::SOURCE_ETHTOOL_NETLINK);
  net.mutable_transceiver()->set_type("QSFP28");
  // Listened to for long enough, and nobody spoke.
  *net.mutable_lldp()->mutable_reading() = Answered(v1::SOURCE_LLDP_FRAME);
  AddVirtualFunctions(nic, *net.mutable_virtual_functions());
}

void AddCmDefaults(v1::RdmaPort& port) {
  v1::CmDefaults& defaults = *port.mutable_cm_defaults();
  *defaults.mutable_reading() = Answered(v1::SOURCE_CONFIGFS);
  defaults.set_roce_mode("RoCE v2");
  defaults.set_tos(104);
}

void AddLinkCounters(const v1::HostFacts& facts, v1::HostCounters& counters) {
  for (const v1::NetDevice& net : facts.net_devices()) {
    v1::PortCounters& link = AddOwner(counters, LinkOwnerId(net.id()), v1::SOURCE_SYSFS);
    AddCounter(link, v1::COUNTER_ID_CARRIER_DOWN);
    AddCounter(link, v1::COUNTER_ID_FEC_UNCORRECTABLE_BLOCKS);
    v1::PortCounters& port = AddOwner(counters, net.id(), v1::SOURCE_ETHTOOL_IOCTL);
    AddCounter(port, v1::COUNTER_ID_SYMBOL_ERRORS);
    for (const v1::CounterId id :
         {v1::COUNTER_ID_TX_PAUSE_FRAMES, v1::COUNTER_ID_RX_PAUSE_FRAMES}) {
      AddCounter(port, id);
      port.mutable_samples()->rbegin()->set_priority(3);
    }
  }
  for (const v1::PciFunction& function : facts.pci_functions()) {
    v1::PortCounters& pcie = AddOwner(counters, function.id(), v1::SOURCE_SYSFS);
    for (const v1::CounterId id :
         {v1::COUNTER_ID_PCI_CORRECTABLE_ERRORS, v1::COUNTER_ID_PCI_NONFATAL_ERRORS,
          v1::COUNTER_ID_PCI_FATAL_ERRORS}) {
      AddCounter(pcie, id);
    }
  }
}

}  // namespace roceready::builders
