// SPDX-License-Identifier: Apache-2.0
// What one side of a probe sees of its packets on the wire (agent/wire), from being connected on.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <cstdint>
#include <memory>
#include <set>

#include "agent/probe/environment.h"
#include "agent/wire/view.h"

namespace roceready::probe {

class WireWatch {
 public:
  WireWatch(const Environment& environment, const v1::ProbeEnd& end, const v1::ProbeEndpoint& own,
            const v1::ProbeEndpoint& peer);

  // What has come by so far, or why nothing can be said. Never waits.
  v1::WireView Look();

 private:
  void Open(const Environment& environment, const v1::ProbeEnd& end);

  // Of opening the socket; OK while `source_` is there.
  v1::Reading opened_;
  std::unique_ptr<wire::Source> source_;
  wire::View view_;
  uint64_t missed_ = 0;
};

}  // namespace roceready::probe
