// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "agent/facts/congestion/congestion.h"
#include "agent/facts/readings.h"

namespace roceready::facts {
namespace {

// To add a family: write its file, declare its function in congestion.h, add its row here.
constexpr std::array kFamilies = {
    CongestionFamily{"mlx5", ReadMlx5Congestion},   CongestionFamily{"bnxt_re", ReadBnxtCongestion},
    CongestionFamily{"irdma", ReadIrdmaCongestion}, CongestionFamily{"hns", ReadHnsCongestion},
    CongestionFamily{"rxe", ReadNoCongestion},
};

}  // namespace

std::span<const CongestionFamily> CongestionFamilies() { return kFamilies; }

v1::CongestionControl ReadCongestion(const HostRoot& root, std::string_view driver,
                                     const CongestionPort& port) {
  const auto family = std::ranges::find(kFamilies, driver, &CongestionFamily::driver);
  if (family != kFamilies.end()) return family->read(root, port);
  return CongestionMissing(
      MissingReading(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_SYSFS,
                     fmt::format("driver '{}' has no interface to congestion control that we know",
                                 driver.empty() ? "unknown" : driver)));
}

v1::CongestionControl CongestionMissing(const v1::Reading& reading) {
  v1::CongestionControl congestion;
  *congestion.mutable_reading() = reading;
  *congestion.mutable_notification_point()->mutable_reading() = reading;
  *congestion.mutable_reaction_point()->mutable_reading() = reading;
  *congestion.mutable_parameters()->mutable_reading() = reading;
  return congestion;
}

}  // namespace roceready::facts
