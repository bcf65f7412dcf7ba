// SPDX-License-Identifier: Apache-2.0
// Where the link gets this host's facts from.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "agent/watch/changes.h"
#include "proto/process/clock.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::link {

struct Collection {
  v1::HostFacts facts;
  v1::HostCounters counters;
  // Nothing below was read before this moment ...
  MonotonicTime began;
  // ... except these parts (keys of proto/contract/fact_parts.h), whose last values are kept: of a
  // source that hangs, or not read because nothing said that they changed.
  std::map<std::string, MonotonicTime> older;
  // Only what had changed was read again: the rest is in `older`, and counters are those of before.
  bool partial = false;
};

class FactsSource {
 public:
  virtual ~FactsSource() = default;
  // Begins a collection and returns at once. `done` is called exactly once, on any thread, within
  // the source's own deadlines whatever hangs in the kernel. One collection at a time.
  virtual void Collect(bool with_raw_counters, std::function<void(Collection)> done) = 0;
  // The same for what `changes` concern; a source that cannot tell parts from the whole reads it
  // all.
  virtual void CollectChanged(const watch::Changes& /*changes*/,
                              std::function<void(Collection)> done) {
    Collect(false, std::move(done));
  }
};

}  // namespace roceready::link
