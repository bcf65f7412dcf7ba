// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/alike.h"

#include <set>

#include "checks/fact_path.h"
#include "checks/reading.h"
#include "checks/words.h"
#include "proto/contract/ids.h"

namespace roceready::checks {
namespace {

bool NamesNoFabric(const v1::IpAddress& address) {
  const std::string& text = address.address();
  return address.scope() == "link" || address.scope() == "host" || text.starts_with("fe80:") ||
         text.starts_with("169.254.") || text.starts_with("127.") || text == "::1";
}

}  // namespace

std::string ModelOf(const v1::PciFunction& function) {
  return fmt::format("{:04x}:{:04x}", function.vendor(), function.device());
}

std::string KindOf(const HostView& host) {
  std::set<std::string> models;
  for (const v1::PciFunction& function : host.facts().pci_functions()) {
    if (!function.has_rdma_family() || function.has_physical_function_id()) continue;
    models.insert(ModelOf(function));
  }
  return fmt::format("hosts with {} and {}",
                     models.empty() ? "no RDMA NIC" : JoinWords(models, ", "),
                     Counted(static_cast<uint64_t>(host.facts().gpus_size()), "GPU"));
}

std::string PlaceOf(const PortView& port) {
  const std::string_view address =
      port.pci == nullptr ? std::string_view() : PciAddressOf(port.pci->id());
  return fmt::format("{} port {}", address.empty() ? port.device->name() : address,
                     port.port->number());
}

FabricAddresses FabricAddressesOf(const std::vector<PortView>& ports) {
  FabricAddresses addresses;
  std::set<const v1::NetDevice*> seen;
  for (const PortView& port : ports) {
    if (port.net_device == nullptr) addresses.unread.emplace_back(&port, nullptr);
    for (const v1::NetDevice* net_device : port.AddressedNetDevices()) {
      if (!seen.insert(net_device).second) continue;
      if (!IsOk(ReadingOf(net_device->has_addresses(), net_device->addresses()))) {
        addresses.unread.emplace_back(&port, net_device);
        continue;
      }
      for (const v1::IpAddress& address : net_device->addresses().addresses()) {
        const auto prefix = IpPrefix::Of(address.address(), address.prefix_bits());
        if (!prefix || NamesNoFabric(address)) continue;
        addresses.known.push_back({&port, net_device, *prefix});
      }
    }
  }
  return addresses;
}

Observation UnreadAddress(const HostView& host,
                          const std::pair<const PortView*, const v1::NetDevice*>& unread,
                          std::string group) {
  const auto& [port, net_device] = unread;
  const v1::Reading reading = net_device == nullptr
                                  ? host.NetDeviceReading(*port)
                                  : ReadingOf(net_device->has_addresses(), net_device->addresses());
  const std::string path = net_device == nullptr
                               ? PortPath(port->device->id(), port->port->number(), "net_device_id")
                               : NetPath(net_device->id(), "addresses");
  Observation observation{.subject = net_device == nullptr
                                         ? host.SubjectOfPort(*port)
                                         : host.SubjectOfNetDevice(*port, *net_device),
                          .group = std::move(group),
                          .value = {},
                          .unknown = ReasonOf(reading),
                          .evidence = host.EvidenceAt(path, {}, reading)};
  return observation;
}

}  // namespace roceready::checks
