// SPDX-License-Identifier: Apache-2.0
// Firmware versions and health of a PCI function: devlink first (does not take RTNL), then what
// ethtool or the RDMA device said.
#pragma once

#include <string>
#include <vector>

#include "agent/netlink/devlink.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

// `function` gets firmware, and serial number and adapter id where devlink knows the serial number.
void FillFirmware(const absl::StatusOr<netlink::DevlinkInfo>& info, v1::PciFunction* function);

// Asks devlink about "pci/ADDRESS".
v1::PciFunction ReadFirmware(netlink::Transport& generic, const netlink::GenericFamily& family,
                             const std::string& address);

// Asks devlink for each parameter that decides about RDMA; those that the driver lacks are left
// out.
v1::DevlinkParameters ReadDevlinkParameters(netlink::Transport& generic,
                                            const netlink::GenericFamily& family,
                                            const std::string& address);

// Health reporters by PCI function, and their error counts.
struct Health {
  v1::HostFacts facts;
  v1::HostCounters counters;
};
Health HealthOf(const absl::StatusOr<std::vector<netlink::DevlinkHealthReporter>>& reporters,
                const std::vector<std::string>& pci_addresses);

// Where devlink gave no version: takes it from ethtool's text ("22.35.1012 (MT_0000000359)") of a
// net device of the same function, else from the RDMA device's firmware and board id.
void CompleteFirmware(v1::HostFacts* facts);

// "22.35.1012 (MT_0000000359)" -> version and PSID; other texts are the version as a whole.
struct FirmwareText {
  std::string version;
  std::string psid;
};
FirmwareText ParseFirmwareText(std::string_view text);

}  // namespace roceready::facts
