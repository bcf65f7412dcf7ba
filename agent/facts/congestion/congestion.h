// SPDX-License-Identifier: Apache-2.0
// Congestion control (DCQCN) of an RDMA port. Each NIC family has its own interfaces, or none: one
// file a family, one row in families.cc. Nothing here takes RTNL; mlx5's debugfs asks the firmware.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "agent/facts/host_root.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

// Which port is asked about.
struct CongestionPort {
  std::string rdma_device;  // "mlx5_0"
  std::string pci_address;  // empty for rxe, siw
  std::string net_device;   // name of the port's net device; empty if unknown
  uint32_t port = 0;
};

// One family: the RDMA driver's word and how its settings are read. The result always says, for
// parameters, notification point and reaction point each, how its reading ended.
struct CongestionFamily {
  std::string_view driver;
  v1::CongestionControl (*read)(const HostRoot& root, const CongestionPort& port);
};

// All families (families.cc).
std::span<const CongestionFamily> CongestionFamilies();

// By the driver's word; a driver without a row has no interface that we know.
v1::CongestionControl ReadCongestion(const HostRoot& root, std::string_view driver,
                                     const CongestionPort& port);

// All readings of it alike, with this reason.
v1::CongestionControl CongestionMissing(const v1::Reading& reading);

v1::CongestionControl ReadMlx5Congestion(const HostRoot& root, const CongestionPort& port);
v1::CongestionControl ReadBnxtCongestion(const HostRoot& root, const CongestionPort& port);
v1::CongestionControl ReadIrdmaCongestion(const HostRoot& root, const CongestionPort& port);
v1::CongestionControl ReadHnsCongestion(const HostRoot& root, const CongestionPort& port);
// Soft-RoCE, iWARP in software and the cloud NICs: no DCQCN, or nothing of it is shown.
v1::CongestionControl ReadNoCongestion(const HostRoot& root, const CongestionPort& port);

}  // namespace roceready::facts
