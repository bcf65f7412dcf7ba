// SPDX-License-Identifier: Apache-2.0
// Names of single facts, as evidence gives them: "net_devices[pci:0000:3b:00.0/0].dcb.pfc.delay",
// "rdma_devices[pci:0000:3b:00.0].ports[1].gid_table". Rows by id, everything else by field name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "checks/evaluate.h"

namespace roceready::checks {

std::string NetPath(std::string_view net_device_id, std::string_view rest);
std::string RdmaPath(std::string_view rdma_device_id, std::string_view rest);
std::string PortPath(std::string_view rdma_device_id, uint32_t port, std::string_view rest);
std::string PciPath(std::string_view pci_id, std::string_view rest);
// Of HostCounters: "ports[rdma:pci:0000:3b:00.0/1]".
std::string CountersPath(std::string_view owner_id);

// How old the part of the facts is that holds this path: the age of the closest part that has one.
std::optional<Age> AgeOfPath(std::string_view path,
                             const std::map<std::string, Age, std::less<>>& fact_ages);

// Whether the path names something that HostFacts, HostCounters or SwitchFacts can hold.
bool IsFactPath(std::string_view path);

}  // namespace roceready::checks
