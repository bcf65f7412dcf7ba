// SPDX-License-Identifier: Apache-2.0
// Which interface each fact is read by, and what the reader must be allowed: the table of this
// folder's README. Tests hold it against the schema, the README and the recorded hosts, so that it
// cannot go stale.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

struct FactInterface {
  // Names of fields from HostFacts on: "net_devices.dcb" is that group with all below it that has
  // no row of its own.
  std::string_view facts;
  // The file of this folder that reads it.
  std::string_view file;
  std::string_view interface;
  // The sources that its readings may name.
  std::span<const v1::Source> sources;
  // On which lane; see plan.h.
  bool takes_rtnl = false;
  // What a DENIED reading says it needs; empty where everyone may read it.
  std::string_view needs = {};
};

std::span<const FactInterface> AllInterfaces();

// The row of a field or group given by its path; null where there is none.
const FactInterface* FindInterface(std::string_view path);

// The table as it stands in the README.
std::string RenderInterfaces();

}  // namespace roceready::facts
