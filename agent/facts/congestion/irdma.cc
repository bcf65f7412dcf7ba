// SPDX-License-Identifier: Apache-2.0
// irdma: the kernel's driver has no interface and leaves DCQCN off (roce_info->dcqcn_en = false in
// drivers/infiniband/hw/irdma). The vendor's driver takes module parameters.
#include "agent/facts/congestion/congestion.h"
#include "agent/facts/readings.h"

namespace roceready::facts {

v1::CongestionControl ReadIrdmaCongestion(const HostRoot& root, const CongestionPort&) {
  const absl::StatusOr<std::string> enabled =
      root.ReadWord("/sys/module/irdma/parameters/dcqcn_enable");
  if (!enabled.ok()) {
    return CongestionMissing(
        MissingReading(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_SYSFS,
                       "the kernel's irdma driver shows no congestion control settings"));
  }
  v1::CongestionControl congestion =
      CongestionMissing(MissingReading(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_VENDOR_SYSFS,
                                       "irdma shows one switch for the whole module"));
  *congestion.mutable_reading() = OkReading(v1::SOURCE_VENDOR_SYSFS);
  congestion.mutable_reading()->set_locator("/sys/module/irdma/parameters/dcqcn_enable");
  const bool on = *enabled == "1" || *enabled == "Y";
  congestion.set_algorithm(on ? "dcqcn" : "none");
  return congestion;
}

}  // namespace roceready::facts
