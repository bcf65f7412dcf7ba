// SPDX-License-Identifier: Apache-2.0
// What a RoCE port can carry by its own links: with this a probe's bandwidth is compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checks/ports.h"

namespace roceready::checks {

struct PortCapacity {
  // Ports of one model and driver may be compared: "15b3:1021 with mlx5_core".
  std::string model;
  // The processor moves the data: the link says nothing about what it can give.
  bool is_software = false;
  // The least of the Ethernet speed and the PCIe hops; none: not known, and `unknown` says why.
  std::optional<uint64_t> mbps;
  // What limits it: "link" or "PCIe".
  std::string limit;
  std::string unknown;
};

PortCapacity CapacityOf(const v1::HostFacts& facts, const PortView& port);

// Whether speed and width of the link above this hop were read.
bool IsComplete(const v1::PciHop& hop);

// Bytes on the wire carry 8 of 10 bits up to 5 GT/s, 128 of 130 above; a tenth goes to headers.
uint64_t UsableMbps(const v1::PciHop& hop);

}  // namespace roceready::checks
