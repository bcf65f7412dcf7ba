// SPDX-License-Identifier: Apache-2.0
// What a builder's host has beside its ports: PCIe settings, GPUs, limits, packet filter, users.
#pragma once

#include "tests/support/builders/facts_builder.h"

namespace roceready::builders {

// All that belongs to the whole host, once its rails are there; all of it is right.
void AddSurroundings(Nic nic, v1::HostFacts& facts);

// Of one rail.
void AddPciSettings(Nic nic, int rail, v1::PciFunction& pci);
void AddPortSurroundings(Nic nic, v1::NetDevice& net);
void AddCmDefaults(v1::RdmaPort& port);

// Counters of the net devices and PCI functions, after those of the RDMA ports.
void AddLinkCounters(const v1::HostFacts& facts, v1::HostCounters& counters);

}  // namespace roceready::builders
