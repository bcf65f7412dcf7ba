// SPDX-License-Identifier: Apache-2.0
// NIC functions beside others of their kind: which of them should have an RDMA device.
#pragma once

#include "checks/ports.h"

namespace roceready::checks {

// Null: the function has no RDMA device of its own.
const v1::RdmaDevice* RdmaDeviceOf(const v1::HostFacts& facts, const v1::PciFunction& function);

enum class SharedPort { kNo, kMaybe, kYes };

// mlx5's multi-port RoCE: one RDMA device, of one function, has the ports of both. A port that does
// not show its net device may be that of any function of the card without an RDMA device.
SharedPort PortAtSibling(const v1::HostFacts& facts, const v1::PciFunction& function);

// Of a NIC in RoCE LAG only one function keeps an RDMA device: the bond's.
bool IsInBond(const v1::HostFacts& facts, const v1::PciFunction& function);

// Somebody chose that it has none. mlx5 shows the value of the next reload alone.
bool IsSwitchedOff(const v1::PciFunction& function);

// The kind of any RoCE function of this host.
bool HasTwinWithRdma(const v1::HostFacts& facts, const v1::PciFunction& function);

}  // namespace roceready::checks
