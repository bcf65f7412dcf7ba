// SPDX-License-Identifier: Apache-2.0
// What an audit asks of probing: run these pairs, tell me each result, tell me when you are
// through.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/probing/incast_gate.h"
#include "roceready/v1/probe.pb.h"

namespace roceready {

// A physical adapter that a pair loads: while it does, no other pair may use it.
struct PairAdapter {
  std::string host;
  std::string name;  // "host/adapter"
};

struct PlannedPair {
  // Attempt 1, both directions.
  v1::ProbeSpec spec;
  std::string adapter_a;
  std::string adapter_b;
  // Of an incast; else null.
  std::shared_ptr<IncastGates> gates = nullptr;
};

// A pair that waits: its order is made when it begins, as a plan may have a hundred thousand.
struct WaitingPair {
  PairAdapter a;
  PairAdapter b;
  // Pairs in a row with the same number other than 0 are an incast: they share `b` and begin
  // together.
  std::uint32_t incast = 0;
};

struct ProbeWork {
  // Begun in this order, as far as their adapters are free.
  std::vector<WaitingPair> pairs;
  // Of the pair at a place in `pairs`. Owns what it needs.
  std::function<v1::ProbeSpec(std::size_t place)> spec_of;
  // Pairs that run at the same time; 0: as many as there are.
  std::uint32_t at_once = 0;
};

class ProbeRunner {
 public:
  // Pairs of all audits together: what one event loop can drive with ease.
  static constexpr std::size_t kMaxPairs = 512;

  // 0 names no run.
  using RunId = std::uint64_t;
  // Called on the event loop, never from within Start or Stop.
  struct Callbacks {
    std::function<void(std::shared_ptr<const v1::ProbeResult>)> result;
    // Every pair has a result or was never begun. Called once, also after Stop.
    std::function<void()> done;
  };

  // Of one run, in pairs.
  struct Stopped {
    std::size_t ended = 0;      // ran, and were told to end
    std::size_t not_begun = 0;  // waited
  };

  virtual ~ProbeRunner() = default;
  virtual RunId Start(ProbeWork work, Callbacks callbacks) = 0;
  // Begins no more pairs; the ones that run go on to their end.
  virtual void BeginNoMore(RunId run) = 0;
  // Ends what runs as well, with results for what was measured so far. The ends are told before
  // this returns.
  virtual Stopped Stop(RunId run, const std::string& reason) = 0;
  // Hosts that have not said that they ended a probe, of whatever run, and may still carry it out.
  // Of a run that is done with all its pairs these are all.
  virtual std::vector<std::string> HostsUnsure() const = 0;
};

}  // namespace roceready
