// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/counters.h"

#include <utility>

#include "agent/probe/limits.h"

namespace roceready::probe {
namespace {

const v1::PortCounters* FindOwner(const std::vector<v1::PortCounters>& ports,
                                  const std::string& owner_id) {
  for (const v1::PortCounters& port : ports) {
    if (port.owner_id() == owner_id) return &port;
  }
  return nullptr;
}

const v1::CounterSample* FindSample(const v1::PortCounters& port, const v1::CounterSample& like) {
  for (const v1::CounterSample& sample : port.samples()) {
    if (sample.id() == like.id() && sample.has_priority() == like.has_priority() &&
        sample.priority() == like.priority()) {
      return &sample;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<v1::PortCounters> CounterDeltas(const std::vector<v1::PortCounters>& before,
                                            std::vector<v1::PortCounters> after,
                                            std::chrono::nanoseconds window) {
  for (v1::PortCounters& port : after) {
    *port.mutable_window() = ToDuration(window);
    const v1::PortCounters* earlier = FindOwner(before, port.owner_id());
    for (v1::CounterSample& sample : *port.mutable_samples()) {
      sample.clear_delta();
      const v1::CounterSample* then = earlier ? FindSample(*earlier, sample) : nullptr;
      if (then && then->total() <= sample.total()) sample.set_delta(sample.total() - then->total());
    }
  }
  return after;
}

}  // namespace roceready::probe
