// SPDX-License-Identifier: Apache-2.0
// The six probe orders seen as one: which probe, which step, fenced by what.
#pragma once

#include <roceready/v1/agent_link.pb.h>

#include <optional>
#include <string>

#include "agent/probe/answers.h"
#include "agent/probe/session.h"

namespace roceready::probe {

struct OrderView {
  const v1::Order* order = nullptr;
  ProbeKey key;
  // "prepare", "connect", "arm/3", "run/3", "close/3" or "release".
  std::string step;
  // Absent for a release, which is not a step of the session but its end.
  std::optional<Step> session_step;
  // Set for its own kind alone.
  const v1::PrepareProbe* prepare = nullptr;
  const v1::ReleaseProbe* release = nullptr;
};

// Absent for a body that is no probe order. Refers to `message`.
std::optional<OrderView> ViewOrder(const v1::ConnectResponse& message);

}  // namespace roceready::probe
