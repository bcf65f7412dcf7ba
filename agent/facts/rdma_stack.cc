// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/rdma_stack.h"

#include <algorithm>
#include <optional>

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_RDMA_NETLINK;

// rdma-core installs libibverbs.so.1.14.44.0 for its release 44.0.
std::optional<std::string> RdmaCoreVersion(const HostRoot& root) {
  std::vector<std::string> folders = {"/usr/lib64", "/usr/lib"};
  const absl::StatusOr<std::vector<std::string>> names = root.List("/usr/lib");
  if (names.ok()) {
    for (const std::string& name : *names) {
      if (name.ends_with("-linux-gnu")) folders.push_back("/usr/lib/" + name);
    }
  }
  for (const std::string& folder : folders) {
    const absl::StatusOr<std::string> file = root.LinkName(folder + "/libibverbs.so.1");
    constexpr std::string_view kPrefix = "libibverbs.so.1.";
    if (!file.ok() || !file->starts_with(kPrefix)) continue;
    const std::string version = file->substr(kPrefix.size());
    const size_t dot = version.find('.');
    if (dot != std::string::npos) return version.substr(dot + 1);
  }
  return std::nullopt;
}

// "Global tclass=106" in the vendor driver's file; its other lines are rules for single peers.
std::optional<uint32_t> GlobalTrafficClass(const HostRoot& root, const std::string& rdma_device,
                                           uint32_t port) {
  const absl::StatusOr<std::string> text =
      root.Read(fmt::format("/sys/class/infiniband/{}/tc/{}/traffic_class", rdma_device, port));
  if (!text.ok()) return std::nullopt;
  constexpr std::string_view kKey = "Global tclass=";
  for (const std::string_view line : Lines(*text)) {
    if (!line.starts_with(kKey)) continue;
    const std::optional<int64_t> value = ParseNumber(Trim(line.substr(kKey.size())));
    if (value.has_value() && *value >= 0) return static_cast<uint32_t>(*value);
  }
  return std::nullopt;
}

}  // namespace

v1::RdmaStack ReadRdmaStack(netlink::Transport* rdma, const HostRoot& root) {
  v1::RdmaStack stack;
  if (const auto version = RdmaCoreVersion(root)) stack.set_rdma_core_version(*version);
  if (rdma != nullptr) {
    const auto answer = netlink::ReadRdmaSystem(*rdma);
    *stack.mutable_reading() = ReadingOf(answer.status(), kSource);
    if (answer.ok()) {
      if (answer->netns_mode) {
        stack.set_netns_mode(netlink::RdmaNetnsModeWord(*answer->netns_mode));
      }
      if (answer->copy_on_fork) stack.set_copy_on_fork(*answer->copy_on_fork);
      return stack;
    }
  }
  const absl::StatusOr<std::string> mode =
      root.ReadWord("/sys/module/ib_core/parameters/netns_mode");
  *stack.mutable_reading() = ReadingOf(mode.status(), v1::SOURCE_SYSFS);
  if (mode.ok()) {
    stack.set_netns_mode(*mode == "Y" ? "shared" : "exclusive");
  } else if (stack.reading().outcome() == v1::OUTCOME_ABSENT) {
    stack.mutable_reading()->set_needs("module ib_core");
    stack.mutable_reading()->set_detail("no RDMA stack is loaded");
  }
  return stack;
}

v1::CmDefaults ReadCmDefaults(const HostRoot& root, const std::string& rdma_device, uint32_t port) {
  v1::CmDefaults defaults;
  if (const auto value = GlobalTrafficClass(root, rdma_device, port)) {
    defaults.set_global_traffic_class(*value);
  }
  const std::string device = fmt::format("/sys/kernel/config/rdma_cm/{}", rdma_device);
  if (!root.Exists(device)) {
    *defaults.mutable_reading() =
        MissingReading(v1::OUTCOME_SKIPPED, v1::SOURCE_CONFIGFS,
                       "the kernel shows it after a mkdir in configfs rdma_cm, which writes");
    return defaults;
  }
  const std::string folder = fmt::format("{}/ports/{}", device, port);
  const absl::StatusOr<std::string> mode = root.ReadWord(folder + "/default_roce_mode");
  const absl::StatusOr<int64_t> tos = root.ReadNumber(folder + "/default_roce_tos");
  *defaults.mutable_reading() =
      ReadingOf(mode.ok() ? tos.status() : mode.status(), v1::SOURCE_CONFIGFS, kReadConfigfs);
  if (mode.ok()) defaults.set_roce_mode(*mode);
  if (tos.ok()) defaults.set_tos(static_cast<uint32_t>(*tos));
  return defaults;
}

}  // namespace roceready::facts
