// SPDX-License-Identifier: Apache-2.0
// All facts of the host at one moment, as far as they could be read.
#pragma once

#include <map>
#include <string>

#include "proto/process/clock.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

struct Collection {
  v1::HostFacts facts;
  v1::HostCounters counters;
  // Nothing was read before this moment ...
  MonotonicTime began{};
  // ... except these parts (keys of proto/contract/fact_parts.h): what this collection was not
  // about
  // (`partial`), or a source that hung a while ago, answered late, and is left alone for some time.
  std::map<std::string, MonotonicTime> older;
  // A source hangs now: some readings are TIMED_OUT.
  bool hanging = false;
  // Only what had changed was read; counters are those of before.
  bool partial = false;
};

}  // namespace roceready::facts
