// SPDX-License-Identifier: Apache-2.0
// Which hosts and ports can be compared with each other, and the addresses that ports have on the
// fabric.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checks/check.h"
#include "checks/host_view.h"
#include "checks/policy/ip_prefix.h"

namespace roceready::checks {

// "15b3:1021".
std::string ModelOf(const v1::PciFunction& function);

// "hosts with 15b3:1021 and 8 GPUs": hosts with the same models of RDMA NICs and as many GPUs are
// of one kind, so that a storage server is not compared with a GPU host.
std::string KindOf(const HostView& host);

// The place of a port in its host: "0000:3b:00.0 port 1".
std::string PlaceOf(const PortView& port);

struct FabricAddress {
  const PortView* port = nullptr;
  const v1::NetDevice* net_device = nullptr;
  // With its own bits: 10.1.0.7/24.
  IpPrefix address;
};

struct FabricAddresses {
  std::vector<FabricAddress> known;
  // Ports, and net devices of them, whose addresses were not read; without a net device the port
  // shows none.
  std::vector<std::pair<const PortView*, const v1::NetDevice*>> unread;
};

// Of the net devices, bonds and VLANs of these ports, each net device once; those of no fabric
// (link-local, loopback) are left out.
FabricAddresses FabricAddressesOf(const std::vector<PortView>& ports);

// What is said of an address that was not read.
Observation UnreadAddress(const HostView& host,
                          const std::pair<const PortView*, const v1::NetDevice*>& unread,
                          std::string group);

}  // namespace roceready::checks
