// SPDX-License-Identifier: Apache-2.0
// Counters that the kernel keeps in files: of the connection manager, of PCIe errors, of a link's
// carrier, and the RDMA bytes of drivers that keep them beside their own counters. None of these
// files takes RTNL.
#pragma once

#include <string>
#include <vector>

#include "agent/facts/counters.h"
#include "agent/facts/host_root.h"

namespace roceready::facts {

// One element for each port; ABSENT while ib_cm is not loaded.
std::vector<PortTotals> ReadCmTotals(const HostRoot& root, const RdmaDeviceEntry& entry);

// The driver's RDMA counters as sysfs shows them (ports/N/hw_counters): for where RDMA netlink
// could not be opened, which `why` says. A value may be as old as the folder's lifespan
// (AddRefresh).
std::vector<PortTotals> ReadRdmaTotalsFromFiles(const HostRoot& root, const RdmaDeviceEntry& entry,
                                                bool with_raw, const v1::Reading& why);

// AER totals of a PCI function: the TOTAL_ERR_ line of each file.
PortTotals ReadPciErrorTotals(const HostRoot& root, const std::string& address);

// How often the carrier was lost; FEC blocks are added by who asks ethtool.
PortTotals ReadLinkTotals(const HostRoot& root, const NetDeviceEntry& entry);

// Adds the bytes of the port's standard counters, which count words of 32 bits, where the driver
// has those and no byte counters of its own: each of the two that can be read. Nothing is added to
// totals that were not read.
void AddRdmaBytes(const HostRoot& root, const RdmaDeviceEntry& entry, uint32_t port,
                  v1::PortCounters* totals);

// Adds how old a value of the port's hardware counters may be, by sysfs (hw_counters/lifespan; 10
// ms unless someone wrote another). Netlink asks the driver each time in the kernels that we know,
// so that this is a bound: the kernel promises nobody more.
void AddRefresh(const HostRoot& root, const RdmaDeviceEntry& entry, uint32_t port,
                v1::PortCounters* totals);

// "TOTAL_ERR_COR 12" among the lines of an AER file.
std::optional<uint64_t> FindAerTotal(std::string_view text, std::string_view key);

}  // namespace roceready::facts
