// SPDX-License-Identifier: Apache-2.0
// Whether the controller lives, whether it is ready to be asked and if not why, and which one it
// is: the answers as values.
#pragma once

#include <string>
#include <vector>

#include "controller/api/rest/http.h"
#include "controller/policies.h"
#include "proto/process/clock.h"

namespace roceready::status {

struct Condition {
  std::string name;
  bool ok = false;
  // How it stands, in words; where it does not hold also since when and what to do.
  std::string reason;
};

// What readiness is judged by.
struct Standing {
  bool serving = false;
  // Where: "agents on [::]:7471, gRPC on ...".
  std::string listening;
  bool stopping = false;
  Duration up{};
  std::size_t policies = 0;
  controller::PolicyLoads loads;
  WallTime now{};
};

// A failed reload is one: the policies in force are no longer those that somebody wanted.
std::vector<Condition> ConditionsOf(const Standing& standing);
bool AllHold(const std::vector<Condition>& conditions);

struct Version {
  std::uint64_t epoch = 0;
  WallTime started{};
};

// 200: whoever reads it has heard from the event loop.
rest::HttpResponse HealthPage();
// 200 or 503, with every condition.
rest::HttpResponse ReadyPage(const std::vector<Condition>& conditions);
rest::HttpResponse VersionPage(const Version& version);

}  // namespace roceready::status
