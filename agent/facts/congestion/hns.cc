// SPDX-License-Identifier: Apache-2.0
// hns_roce: the kernel's driver shows nothing (the algorithm is chosen for each QP); vendor kernels
// have sysfs groups beside the port: <algorithm>_cc_param.
#include "agent/facts/congestion/congestion.h"
#include "agent/facts/congestion/parameter_files.h"
#include "agent/facts/readings.h"

namespace roceready::facts {
namespace {

constexpr std::string_view kAlgorithms[] = {"dcqcn", "ldcp", "hc3", "dip"};

}  // namespace

v1::CongestionControl ReadHnsCongestion(const HostRoot& root, const CongestionPort& port) {
  const std::string folder =
      fmt::format("/sys/class/infiniband/{}/ports/{}", port.rdma_device, port.port);
  for (const std::string_view algorithm : kAlgorithms) {
    const std::string group = fmt::format("{}/{}_cc_param", folder, algorithm);
    if (!root.Exists(group)) continue;
    v1::CongestionControl congestion = CongestionMissing(
        MissingReading(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_VENDOR_SYSFS,
                       "hns_roce chooses congestion control for each QP, not by priority"));
    v1::CongestionParameters* parameters = congestion.mutable_parameters();
    const absl::Status status = ReadParameterFiles(root, group, parameters);
    *parameters->mutable_reading() = ReadingOf(status, v1::SOURCE_VENDOR_SYSFS);
    *congestion.mutable_reading() = parameters->reading();
    congestion.set_algorithm(std::string(algorithm));
    return congestion;
  }
  return CongestionMissing(
      MissingReading(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_SYSFS,
                     "the kernel's hns_roce driver shows no congestion control settings"));
}

}  // namespace roceready::facts
