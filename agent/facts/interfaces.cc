// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/interfaces.h"

#include <fmt/core.h>

#include "agent/facts/readings.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSysfs[] = {v1::SOURCE_SYSFS};
constexpr v1::Source kProcfs[] = {v1::SOURCE_PROCFS};
constexpr v1::Source kProcfsOrSysfs[] = {v1::SOURCE_PROCFS, v1::SOURCE_SYSFS};
constexpr v1::Source kFile[] = {v1::SOURCE_FILE};
constexpr v1::Source kUverbs[] = {v1::SOURCE_SYSFS, v1::SOURCE_FILE};
constexpr v1::Source kLldp[] = {v1::SOURCE_LLDP_FRAME};
constexpr v1::Source kRoute[] = {v1::SOURCE_RTNETLINK};
constexpr v1::Source kRouteOrSysfs[] = {v1::SOURCE_RTNETLINK, v1::SOURCE_SYSFS};
constexpr v1::Source kDcb[] = {v1::SOURCE_DCBNL, v1::SOURCE_VENDOR_SYSFS};
constexpr v1::Source kRdma[] = {v1::SOURCE_RDMA_NETLINK};
constexpr v1::Source kRdmaOrSysfs[] = {v1::SOURCE_RDMA_NETLINK, v1::SOURCE_SYSFS};
constexpr v1::Source kVerbs[] = {v1::SOURCE_VERBS, v1::SOURCE_FILE};
constexpr v1::Source kVerbsOrSysfs[] = {v1::SOURCE_VERBS, v1::SOURCE_SYSFS};
constexpr v1::Source kDevlink[] = {v1::SOURCE_DEVLINK};
constexpr v1::Source kDevlinkOrSysfs[] = {v1::SOURCE_DEVLINK, v1::SOURCE_SYSFS};
constexpr v1::Source kFirmware[] = {v1::SOURCE_DEVLINK, v1::SOURCE_ETHTOOL_IOCTL,
                                    v1::SOURCE_RDMA_NETLINK, v1::SOURCE_SYSFS};
constexpr v1::Source kEthtool[] = {v1::SOURCE_ETHTOOL_NETLINK};
constexpr v1::Source kEthtoolIoctl[] = {v1::SOURCE_ETHTOOL_IOCTL};
constexpr v1::Source kPciConfig[] = {v1::SOURCE_PCI_CONFIG};
constexpr v1::Source kNetfilter[] = {v1::SOURCE_NETFILTER};
constexpr v1::Source kConfigfs[] = {v1::SOURCE_CONFIGFS};
constexpr v1::Source kCongestion[] = {v1::SOURCE_DEBUGFS, v1::SOURCE_VENDOR_SYSFS, v1::SOURCE_SYSFS,
                                      v1::SOURCE_CONFIGFS, v1::SOURCE_DEVX};

constexpr FactInterface kInterfaces[] = {
    {"pci_scan", "inventory", "/sys/bus/pci/devices", kSysfs},
    {"net_scan", "inventory", "/sys/class/net", kSysfs},
    {"rdma_scan", "inventory", "/sys/class/infiniband", kSysfs},
    {"kernel", "kernel", "/proc/sys/kernel, /proc/stat, /sys/module", kProcfs},
    {"kernel.modules.on_disk", "module_file", "/lib/modules: ELF build id", kFile},
    {"kernel.job_limits", "job_limits", "/proc/PID/limits", kProcfs, false, kReadLimits},
    {"kernel.job_limits.rdma_cgroup", "job_limits", "cgroup v2 rdma.max", kProcfsOrSysfs},
    {"rdma_stack", "rdma_stack", "RDMA netlink SYS_GET, else sysfs", kRdmaOrSysfs},
    {"rdma_use", "rdma_use", "RDMA netlink RES_QP_GET, RES_CM_ID_GET, RES_GET", kRdma},
    {"kernel_users", "kernel_users", "/sys/class/nvme, scsi_host, /proc/mounts", kProcfs},
    {"firewall", "firewall", "netfilter netlink GETCHAIN, GETRULE", kNetfilter, false,
     kReadFirewall},
    {"firewall.legacy", "firewall", "/proc/net/ip_tables_names, ip6_tables_names", kProcfs, false,
     kReadLegacyTables},
    {"lldp_daemons", "lldp", "/proc/net/unix", kProcfs},
    {"ip_stack", "ip_stack", "rtnetlink GETRULE, GETROUTE", kRoute, true},
    {"neighbours", "neighbours", "rtnetlink GETNEIGH", kRoute, true},
    {"pci_functions", "pci", "sysfs: ids, NUMA, IOMMU, SR-IOV, link of each hop", kSysfs},
    {"pci_functions.path_to_root.config_space", "pci_config",
     "PCI config space: read request, payload, ACS", kPciConfig, false, kReadPciConfig},
    {"pci_functions.firmware", "firmware", "devlink INFO_GET, else ethtool, else RDMA", kFirmware},
    {"pci_functions.parameters", "firmware", "devlink PARAM_GET", kDevlink},
    {"pci_functions.health", "firmware", "devlink HEALTH_REPORTER_GET", kDevlink},
    {"pci_functions.eswitch", "eswitch", "devlink ESWITCH_GET", kDevlinkOrSysfs, false,
     kReadEswitch},
    {"gpus", "gpus", "sysfs", kSysfs},
    {"net_devices.mtu", "links", "rtnetlink GETLINK, else sysfs", kRouteOrSysfs, true},
    {"net_devices.link", "links", "rtnetlink GETLINK", kRoute, true},
    {"net_devices.vlan", "links", "rtnetlink GETLINK", kRoute, true},
    {"net_devices.bond", "links", "rtnetlink GETLINK", kRoute, true},
    {"net_devices.bond_member", "links", "rtnetlink GETLINK", kRoute, true},
    {"net_devices.virtual_functions", "virtual_functions", "rtnetlink GETLINK with RTEXT_FILTER_VF",
     kRouteOrSysfs, true},
    {"net_devices.addresses", "links", "rtnetlink GETADDR", kRoute, true},
    {"net_devices.sysctl", "ip_stack", "/proc/sys/net", kProcfs},
    {"net_devices.ethernet", "ethernet", "ethtool netlink LINKMODES, LINKSTATE, FEC", kEthtool,
     true},
    {"net_devices.pause", "ethernet", "ethtool netlink PAUSE", kEthtool, true},
    {"net_devices.driver", "ethernet", "ethtool ioctl GDRVINFO", kEthtoolIoctl, true},
    {"net_devices.transceiver", "transceiver", "ethtool netlink MODULE_EEPROM", kEthtool, true,
     kReadTransceiver},
    {"net_devices.dcb", "dcb", "rtnetlink GETDCB; vendor sysfs qos/", kDcb, true},
    {"net_devices.lldp", "lldp", "frames of EtherType 0x88cc (AF_PACKET)", kLldp, false, kHearLldp},
    {"rdma_devices", "rdma", "RDMA netlink GET, else sysfs", kRdmaOrSysfs},
    {"rdma_devices.uverbs", "rdma", "/dev/infiniband", kUverbs, false,
     "read and write access to /dev/infiniband"},
    {"rdma_devices.attributes", "verbs", "ibv_query_device", kVerbs, false,
     "read and write access to /dev/infiniband"},
    {"rdma_devices.ports", "rdma", "RDMA netlink PORT_GET, else sysfs", kRdmaOrSysfs, true},
    {"rdma_devices.ports.attributes", "verbs", "ibv_query_port", kVerbs, true,
     "read and write access to /dev/infiniband"},
    {"rdma_devices.ports.gid_table", "verbs, gids", "ibv_query_gid_table, else sysfs",
     kVerbsOrSysfs},
    {"rdma_devices.ports.optional_counters", "rdma", "RDMA netlink STAT_GET_STATUS", kRdma},
    {"rdma_devices.ports.congestion", "congestion/", "vendor sysfs, debugfs, DEVX", kCongestion,
     false, kReadDebugfs},
    {"rdma_devices.ports.cm_defaults", "rdma_stack", "configfs rdma_cm, if it is there", kConfigfs,
     false, kReadConfigfs},
};

}  // namespace

std::span<const FactInterface> AllInterfaces() { return kInterfaces; }

const FactInterface* FindInterface(std::string_view path) {
  const FactInterface* best = nullptr;
  for (const FactInterface& row : kInterfaces) {
    const bool inside = path.starts_with(row.facts) &&
                        (path.size() == row.facts.size() || path[row.facts.size()] == '.');
    if (inside && (best == nullptr || best->facts.size() < row.facts.size())) best = &row;
  }
  return best;
}

std::string RenderInterfaces() {
  std::string text =
      "| fact | file | interface | RTNL | capability |\n| --- | --- | --- | --- | --- |\n";
  for (const FactInterface& row : kInterfaces) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", row.facts, row.file, row.interface,
                        row.takes_rtnl ? "yes" : "no", row.needs.empty() ? "-" : row.needs);
  }
  return text;
}

}  // namespace roceready::facts
