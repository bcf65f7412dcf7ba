// SPDX-License-Identifier: Apache-2.0
// rxe neither marks, nor sends CNPs, nor slows down (drivers/infiniband/sw/rxe).
#include "agent/facts/congestion/congestion.h"
#include "agent/facts/readings.h"

namespace roceready::facts {

v1::CongestionControl ReadNoCongestion(const HostRoot&, const CongestionPort&) {
  return CongestionMissing(MissingReading(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_SYSFS,
                                          "Soft-RoCE has no congestion control"));
}

}  // namespace roceready::facts
