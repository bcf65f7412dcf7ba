// SPDX-License-Identifier: Apache-2.0
// What has come of the probes since the start, for who watches. Belongs to the event loop.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "roceready/v1/probe.pb.h"

namespace roceready {

struct ProbeCounters {
  enum class End {
    kMeasured,       // phases were run, well or not
    kRefused,        // an agent would not
    kStopped,        // the audit ended first
    kNotCarriedOut,  // no answer, or a stream that broke
  };
  std::map<End, std::uint64_t> pairs;
  // A pair takes a further one after a phase that failed, and after a refusal for the moment.
  std::uint64_t attempts = 0;
  std::map<std::pair<v1::ProbeOperation, v1::PhaseOutcome>, std::uint64_t> phases;

  // Of one pair, at its end.
  void Count(const v1::ProbeResult& result);
};

}  // namespace roceready
