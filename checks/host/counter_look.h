// SPDX-License-Identifier: Apache-2.0
// What one owner's counters did between two looks of the agent.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"

namespace roceready::checks {

class CounterLook {
 public:
  // `owner_id` from proto/contract/ids.h.
  CounterLook(const HostView& host, std::string_view owner_id) : host_(host) {
    counters_.set_owner_id(std::string(owner_id));
    counters_.mutable_reading()->set_outcome(v1::OUTCOME_NOT_COLLECTED);
    if (host.counters() == nullptr) return;
    for (const v1::PortCounters& counters : host.counters()->ports()) {
      if (counters.owner_id() == owner_id) counters_ = counters;
    }
  }

  const v1::Reading& reading() const { return counters_.reading(); }

  double WindowSeconds() const {
    return static_cast<double>(counters_.window().seconds()) + counters_.window().nanos() * 1e-9;
  }

  // By how much it moved, the most of all priorities; none where it is not counted, or was not yet
  // compared with an earlier look. Nor is standing still told of a window that is too short.
  std::optional<uint64_t> DeltaOf(v1::CounterId id) const {
    std::optional<uint64_t> most;
    if (!IsOk(reading())) return most;
    for (const v1::CounterSample& sample : counters_.samples()) {
      if (sample.id() != id || !sample.has_delta()) continue;
      most = std::max(most.value_or(0), sample.delta());
    }
    if (most == 0u && IsTooShort(counters_)) return std::nullopt;
    return most;
  }

  // The driver counts nothing of this kind, which is no failure to read it.
  bool IsNotCounted() const {
    return reading().outcome() == v1::OUTCOME_UNSUPPORTED ||
           reading().outcome() == v1::OUTCOME_ABSENT;
  }

  v1::Evidence Evidence(std::initializer_list<v1::CounterId> shown) const {
    v1::Evidence evidence = host_.CounterEvidence(counters_);
    for (const v1::CounterSample& sample : counters_.samples()) {
      if (std::ranges::find(shown, sample.id()) != shown.end()) *evidence.add_counters() = sample;
    }
    return evidence;
  }

  Draft& SayUnknown(const v1::Subject& subject, std::string_view expected, Judge& judge) const {
    if (!IsOk(reading())) {
      return judge.Unread(subject, Evidence({})).Expected(std::string(expected));
    }
    return judge
        .Unknown(subject, IsTooShort(counters_)    ? std::string(kTooShort)
                          : counters_.has_window() ? "no such counter is read here"
                                                   : "a first look: nothing to compare with yet")
        .RestsOn(Evidence({}))
        .Expected(std::string(expected));
  }

 private:
  const HostView& host_;
  v1::PortCounters counters_;
};

}  // namespace roceready::checks
