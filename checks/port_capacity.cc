// SPDX-License-Identifier: Apache-2.0
#include "checks/port_capacity.h"

#include <fmt/core.h>

#include "checks/reading.h"
#include "proto/contract/ids.h"

namespace roceready::checks {
namespace {

void Limit(PortCapacity& capacity, uint64_t mbps, std::string_view what) {
  if (capacity.mbps && *capacity.mbps <= mbps) return;
  capacity.mbps = mbps;
  capacity.limit = what;
}

PortCapacity NotKnown(PortCapacity capacity, std::string why) {
  capacity.mbps.reset();
  capacity.unknown = std::move(why);
  return capacity;
}

}  // namespace

bool IsComplete(const v1::PciHop& hop) {
  return IsOk(hop.reading()) && hop.current_speed_mtps() > 0 && hop.max_speed_mtps() > 0 &&
         hop.current_width_lanes() > 0 && hop.max_width_lanes() > 0;
}

uint64_t UsableMbps(const v1::PciHop& hop) {
  const uint64_t raw = uint64_t{hop.current_speed_mtps()} * hop.current_width_lanes();
  const uint64_t coded = hop.current_speed_mtps() > 5000 ? raw * 128 / 130 : raw * 8 / 10;
  return coded * 9 / 10;
}

PortCapacity CapacityOf(const v1::HostFacts& facts, const PortView& port) {
  PortCapacity capacity{.model = port.device->driver(),
                        .is_software = port.family == NicFamily::kSoft,
                        .mbps = {},
                        .limit = {},
                        .unknown = {}};
  if (capacity.is_software) return capacity;
  if (port.pci != nullptr) {
    capacity.model = fmt::format("{:04x}:{:04x} with {}", port.pci->vendor(), port.pci->device(),
                                 port.device->driver());
  }
  if (port.carriers.empty()) return NotKnown(capacity, "its physical port is not seen here");
  // One queue pair goes over one member of a bond: the slowest limits it.
  for (const Carrier& carrier : port.carriers) {
    const v1::Ethernet& ethernet = carrier.net_device->ethernet();
    if (!IsOk(ethernet.reading()) || !ethernet.has_speed_mbps()) {
      return NotKnown(capacity,
                      fmt::format("the speed of {} was not read", carrier.net_device->name()));
    }
    Limit(capacity, ethernet.speed_mbps(), "link");
    const std::string_view address = PciAddressOf(carrier.net_device->id());
    const v1::PciFunction* function =
        address.empty() ? nullptr : FindPciFunction(facts, PciId(address));
    if (function == nullptr) continue;
    // A hop that was not read can only be slower: what is known is an upper bound, and stays one.
    for (const v1::PciHop& hop : function->path_to_root()) {
      if (IsComplete(hop)) Limit(capacity, UsableMbps(hop), "PCIe");
    }
  }
  return capacity;
}

}  // namespace roceready::checks
