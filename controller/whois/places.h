// SPDX-License-Identifier: Apache-2.0
// A host's net devices as places that an address, a GID or a MAC leads to.
#pragma once

#include <string>
#include <vector>

#include "controller/whois/what.h"
#include "roceready/v1/facts.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::whois {

// Without `as` and `fact_age`.
std::vector<v1::Place> PlacesOf(const v1::HostFacts& facts);

// What of the place is what was asked for, in words; empty: nothing. A host's short name is as good
// as its full one.
std::string MatchOf(const v1::Place& place, const What& what);

}  // namespace roceready::whois
