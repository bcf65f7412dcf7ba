// SPDX-License-Identifier: Apache-2.0
// Which readings a host needs, and on which lane each runs. One lane is one thread: what hangs
// blocks its lane and nothing else.
//
//   rtnl     all that takes RTNL: rtnetlink, ethtool, DCB, and on most drivers query_port
//   host     files that cannot hang, RDMA netlink of the whole host
//   devlink  health reporters (one dump walks all devices' locks)
//   filter   packet filter (a dump of its rules waits for whoever changes them)
//   pci:...  a PCI function with its RDMA device: sysfs, devlink info, counters, congestion
//            control, and verbs where they do not take RTNL; a GPU
//   netdev:. an RDMA device without a PCI function
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/facts/fragment.h"
#include "agent/facts/inventory.h"
#include "agent/facts/sources.h"

namespace roceready::facts {

inline constexpr std::string_view kRtnlLane = "rtnl";
inline constexpr std::string_view kHostLane = "host";
inline constexpr std::string_view kDevlinkLane = "devlink";
inline constexpr std::string_view kFilterLane = "filter";

struct PlannedReading {
  // The same reading has the same key in every collection.
  std::string key;
  std::string lane;
  // For reasons: "DCB of ens7f0".
  std::string what;
  v1::Source source = v1::SOURCE_UNSPECIFIED;
  // Runs on the lane's thread; owns what it uses, for it may outlive the collection.
  std::function<Fragment()> read;
  // What stands in its place when it did not answer.
  std::function<Fragment(const v1::Reading&)> missing;
};

// In the order in which they run on their lanes and in which their results are put together: a
// fallback comes before what replaces it, and what hangs most easily comes last.
std::vector<PlannedReading> PlanReadings(const std::shared_ptr<const Sources>& sources,
                                         const std::shared_ptr<const Inventory>& inventory,
                                         const std::string& host, bool with_raw_counters);

}  // namespace roceready::facts
