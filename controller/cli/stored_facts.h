// SPDX-License-Identifier: Apache-2.0
// Facts that a controller has of its hosts, taken as they are: no agent is asked for anything.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <string>

#include "controller/cli/fleet_client.h"
#include "controller/cli/local_judgement.h"

namespace roceready::cli {

struct StoredFacts {
  // By name, of hosts with facts: equal digests, equal facts.
  using Digests = std::map<std::string, std::string>;

  KnownHosts hosts;
  Digests digests;
};

// Of each host of a list ("*": all that the controller knows). One without facts is a row with the
// reason why.
absl::StatusOr<StoredFacts> FetchStoredFacts(FleetClient& client, const std::string& list);

// As they are now.
absl::StatusOr<StoredFacts::Digests> FetchDigests(FleetClient& client, const std::string& list);

}  // namespace roceready::cli
