// SPDX-License-Identifier: Apache-2.0
// The bodies of ConnectRequest that a probe's orders are answered with.
#pragma once

#include <roceready/v1/agent_link.pb.h>

#include <string>
#include <string_view>

#include "agent/probe/limits.h"

namespace roceready::probe {

struct ProbeKey {
  std::string probe_id;
  uint32_t attempt = 0;
  auto operator<=>(const ProbeKey&) const = default;
};

v1::ConnectRequest Refused(const ProbeKey& key, std::string_view step, const Refusal& refusal);
v1::ConnectRequest Reported(v1::EndReport report);
// The report of a side that never held anything, or no longer knows.
v1::EndReport NothingHeld(const ProbeKey& key, v1::ProbeSide side, std::string_view detail);

}  // namespace roceready::probe
