// SPDX-License-Identifier: Apache-2.0
// What an audit asks of probing: run these pairs, tell me each result, tell me when you are
// through.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "roceready/v1/probe.pb.h"

namespace roceready {

struct PlannedPair {
  // Attempt 1, both directions.
  v1::ProbeSpec spec;
  // The physical adapters that this pair loads, as "host/adapter": while it runs, no other pair may
  // use them.
  std::string adapter_a;
  std::string adapter_b;
};

struct ProbeWork {
  // Begun in this order, as far as their adapters are free.
  std::vector<PlannedPair> pairs;
  // Pairs that run at the same time; 0: as many as there are.
  std::uint32_t at_once = 0;
};

class ProbeRunner {
 public:
  // 0 names no run.
  using RunId = std::uint64_t;
  // Called on the event loop, never from within Start or Stop.
  struct Callbacks {
    std::function<void(std::shared_ptr<const v1::ProbeResult>)> result;
    // Every pair has a result or was never begun. Called once, also after Stop.
    std::function<void()> done;
  };

  virtual ~ProbeRunner() = default;
  virtual RunId Start(ProbeWork work, Callbacks callbacks) = 0;
  // Begins no more pairs; the ones that run go on to their end.
  virtual void BeginNoMore(RunId run) = 0;
  // Ends what runs as well, with results for what was measured so far.
  virtual void Stop(RunId run, const std::string& reason) = 0;
};

}  // namespace roceready
