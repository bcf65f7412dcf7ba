// SPDX-License-Identifier: Apache-2.0
// GPUs and how near they are to the NICs: traffic between two functions below one PCIe bridge need
// not cross the processor. Files only.
#pragma once

#include <string>

#include "agent/facts/host_root.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

v1::Gpu ReadGpu(const HostRoot& root, const std::string& address);

// For each PCI function the GPUs below a bridge that it is below as well, nearest first, then the
// others of its NUMA node. From the paths to the root that both rows hold.
void CompleteGpusNear(v1::HostFacts* facts);

}  // namespace roceready::facts
