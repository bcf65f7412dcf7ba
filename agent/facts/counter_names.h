// SPDX-License-Identifier: Apache-2.0
// Drivers' own counter names as common CounterIds. Names come from the drivers' tables (mlx5
// counters.c and en_stats.c, bnxt_re hw_counters.c, irdma verbs.c, hns_roce_main.c, rxe
// rxe_hw_counters.h, bnxt, ice, hns3, ionic, qede ethtool statistics). A name that is not here is
// not lost: it is among the raw counters.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

struct CommonCounter {
  v1::CounterId id = v1::COUNTER_ID_UNSPECIFIED;
  std::optional<uint32_t> priority;

  auto operator<=>(const CommonCounter&) const = default;
};

// RDMA port counters (nldev STAT_GET) by the RDMA driver's word. Several names of one driver may
// mean the same id: they are added up.
std::optional<CommonCounter> RdmaCounterOf(std::string_view driver, std::string_view name);

// Private statistics of a net device (ethtool -S); the names of different drivers do not collide.
std::optional<CommonCounter> EthernetCounterOf(std::string_view name);

// The common counter of which this private statistic is the sum over all priorities: to be used
// only where the driver gives none by priority.
std::optional<v1::CounterId> SumOverPriorities(std::string_view name);

// irdma's hardware counters wrap at 32 bits.
bool WrapsAt32Bits(std::string_view driver);

}  // namespace roceready::facts
