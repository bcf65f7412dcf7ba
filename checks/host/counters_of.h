// SPDX-License-Identifier: Apache-2.0
// Counters of a RoCE port, its own and those of the physical ports below.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/host_view.h"
#include "checks/reading.h"
#include "proto/contract/ids.h"

namespace roceready::checks {

struct CountersOfPort {
  // Null where there are none, or the counters of nothing were read.
  const v1::PortCounters* own = nullptr;
  std::vector<const v1::PortCounters*> below;

  // Null: nobody counts it, or it was not yet compared with an earlier look, or stood still in a
  // window that is too short to say so.
  const v1::CounterSample* WithDelta(v1::CounterId id) const {
    const v1::CounterSample* best = Find(own, id);
    for (const v1::PortCounters* counters : below) {
      const v1::CounterSample* sample = Find(counters, id);
      if (sample != nullptr && (best == nullptr || sample->delta() > best->delta())) best = sample;
    }
    return best;
  }

 private:
  static const v1::CounterSample* Find(const v1::PortCounters* counters, v1::CounterId id) {
    if (counters == nullptr || counters->reading().outcome() != v1::OUTCOME_OK) return nullptr;
    for (const v1::CounterSample& sample : counters->samples()) {
      if (sample.id() != id || sample.has_priority() || !sample.has_delta()) continue;
      return sample.delta() == 0 && IsTooShort(*counters) ? nullptr : &sample;
    }
    return nullptr;
  }
};

inline CountersOfPort CountersOf(const HostView& host, const PortView& port) {
  CountersOfPort found;
  if (host.counters() == nullptr) return found;
  const std::string owner = RdmaPortOwnerId(port.device->id(), port.port->number());
  std::vector<std::string> owners_below;
  owners_below.reserve(2 * port.carriers.size());
  for (const Carrier& carrier : port.carriers) {
    owners_below.push_back(carrier.net_device->id());
    owners_below.push_back(LinkOwnerId(carrier.net_device->id()));
  }
  for (const v1::PortCounters& counters : host.counters()->ports()) {
    if (counters.owner_id() == owner) found.own = &counters;
    const auto is_below = std::ranges::find(owners_below, counters.owner_id());
    if (is_below != owners_below.end()) found.below.push_back(&counters);
  }
  return found;
}

}  // namespace roceready::checks
