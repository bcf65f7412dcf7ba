// SPDX-License-Identifier: Apache-2.0
// The NICs of a host, one for each PCI function that RoCE ports sit on, and the firmware they run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checks/host_view.h"

namespace roceready::checks {

struct Adapter {
  const PortView* port = nullptr;
  HardwareIdentity identity;
};

// Soft-RoCE without a PCI function has no firmware and is left out.
std::vector<Adapter> AdaptersOf(const HostView& host);

// "driver=mlx5_core psid=MT_0000000838", or by its PCI id: NICs of one model have the same.
std::string ModelOf(const Adapter& adapter);

struct Version {
  std::string value;
  // How it is named, for people: "fw.version", "firmware".
  std::string name;
  v1::Evidence evidence;
};

// Of the versions that run, the one named so; empty: there is none.
std::string RunningVersion(const v1::Firmware& firmware, std::string_view name);

// The version named so; with an empty name the one that matters: devlink's first, then what ethtool
// says, then the RDMA device. Empty value: none of them says it, and the evidence tells why.
Version FirmwareOf(const HostView& host, const Adapter& adapter, std::string_view version_name);

std::string WhyNoVersion(const Version& version);

}  // namespace roceready::checks
