// SPDX-License-Identifier: Apache-2.0
// GPUs of a host as far as they matter to RoCE: those that the host itself uses.
#pragma once

#include <string_view>
#include <vector>

#include "checks/host_view.h"

namespace roceready::checks {

// One that is given to a virtual machine is out of reach for the jobs of this host; so is one
// without a driver.
inline bool IsUsableGpu(const v1::Gpu& gpu) {
  return !gpu.driver().empty() && !gpu.driver().starts_with("vfio");
}

inline std::vector<const v1::Gpu*> UsableGpus(const v1::HostFacts& facts) {
  std::vector<const v1::Gpu*> gpus;
  for (const v1::Gpu& gpu : facts.gpus()) {
    if (IsUsableGpu(gpu)) gpus.push_back(&gpu);
  }
  return gpus;
}

inline bool IsUsableGpu(const v1::HostFacts& facts, std::string_view id) {
  for (const v1::Gpu& gpu : facts.gpus()) {
    if (gpu.id() == id) return IsUsableGpu(gpu);
  }
  return false;
}

}  // namespace roceready::checks
