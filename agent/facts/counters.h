// SPDX-License-Identifier: Apache-2.0
// Counters of RDMA ports (nldev, does not take RTNL) and of net devices (ethtool private
// statistics, RTNL-bound), as totals. Deltas: counter_window.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/facts/inventory.h"
#include "agent/netlink/ethtool_ioctl.h"
#include "agent/netlink/nldev.h"

namespace roceready::facts {

// Totals of one owner, and what is needed to compare them with earlier ones.
struct PortTotals {
  v1::PortCounters counters;
  // Kernel index of the device: another one means that the device was made anew.
  uint32_t incarnation = 0;
  bool wraps_at_32_bits = false;
};

// Driver names with their values -> samples of common counters (sorted, equal ids added up), and
// all of them as raw counters where wanted.
template <typename Counters>
void FillRaw(const Counters& counters, v1::PortCounters* result) {
  for (const auto& counter : counters) {
    result->mutable_raw()->add_names(counter.name);
    result->mutable_raw()->add_values(counter.value);
  }
}

void FillRdmaSamples(std::string_view driver, const std::vector<netlink::RdmaCounter>& counters,
                     v1::PortCounters* result);
void FillEthernetSamples(const std::vector<netlink::EthtoolStatistic>& statistics,
                         v1::PortCounters* result);

// One element for each port of the device.
std::vector<PortTotals> ReadRdmaTotals(netlink::Transport& rdma, const RdmaDeviceEntry& entry,
                                       bool with_raw);
std::vector<PortTotals> RdmaTotalsMissing(const v1::Reading& reading, const RdmaDeviceEntry& entry);
PortTotals ReadEthernetTotals(netlink::EthtoolControl& control, const NetDeviceEntry& entry,
                              bool with_raw);

// Adds the pause frames that ethtool netlink counted (PAUSE_GET) where the driver's own statistics
// name none in that direction: mlx5 names them only while PFC or global pause is on, some drivers
// have no statistics at all. Never both: the one includes the other.
void AddStandardPause(const v1::PortCounters& pause, v1::PortCounters* totals);

}  // namespace roceready::facts
