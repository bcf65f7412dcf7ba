// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/gpus.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "agent/facts/readings.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

struct Nearness {
  // Bridges of the NIC between it and the common one; more than any path where there is none.
  int distance = 0;
  v1::GpuNearness row;
};

std::optional<Nearness> NearnessOf(const v1::PciFunction& function, const v1::Gpu& gpu) {
  Nearness near;
  near.row.set_gpu_id(gpu.id());
  const bool nodes_known = function.has_numa_node() && gpu.has_numa_node() &&
                           function.numa_node() >= 0 && gpu.numa_node() >= 0;
  if (nodes_known) near.row.set_same_numa_node(function.numa_node() == gpu.numa_node());
  // The first hop is the function itself.
  for (int i = 1; i < function.path_to_root_size(); ++i) {
    const std::string& bridge = function.path_to_root(i).address();
    if (std::ranges::find(gpu.bridges(), bridge) == gpu.bridges().end()) continue;
    near.distance = i;
    near.row.set_common_bridge(bridge);
    return near;
  }
  near.distance = function.path_to_root_size() + 1;
  if (near.row.same_numa_node()) return near;
  return std::nullopt;
}

}  // namespace

v1::Gpu ReadGpu(const HostRoot& root, const std::string& address) {
  v1::Gpu gpu;
  gpu.set_id(PciId(address));
  const std::string folder = fmt::format("/sys/bus/pci/devices/{}", address);
  const absl::StatusOr<std::string> real = root.RealPath(folder);
  *gpu.mutable_reading() = ReadingOf(real.status(), v1::SOURCE_SYSFS);
  if (!real.ok()) return gpu;
  if (const auto id = root.ReadNumber(folder + "/vendor"); id.ok()) {
    gpu.set_vendor(static_cast<uint32_t>(*id));
  }
  if (const auto id = root.ReadNumber(folder + "/device"); id.ok()) {
    gpu.set_device(static_cast<uint32_t>(*id));
  }
  if (const auto driver = root.LinkName(folder + "/driver"); driver.ok()) {
    gpu.set_driver(*driver);
  }
  if (const auto node = root.ReadNumber(folder + "/numa_node"); node.ok()) {
    gpu.set_numa_node(static_cast<int32_t>(*node));
  }
  std::string_view path = *real;
  while (true) {
    path = path.substr(0, path.rfind('/'));
    const std::string_view bridge = path.substr(path.rfind('/') + 1);
    if (!IsPciAddress(bridge)) return gpu;
    gpu.add_bridges(std::string(bridge));
  }
}

void CompleteGpusNear(v1::HostFacts* facts) {
  for (v1::PciFunction& function : *facts->mutable_pci_functions()) {
    std::vector<Nearness> near;
    for (const v1::Gpu& gpu : facts->gpus()) {
      if (const auto found = NearnessOf(function, gpu)) near.push_back(*found);
    }
    std::ranges::stable_sort(near, {}, &Nearness::distance);
    function.clear_gpus_near();
    for (Nearness& gpu : near) *function.add_gpus_near() = std::move(gpu.row);
  }
}

}  // namespace roceready::facts
