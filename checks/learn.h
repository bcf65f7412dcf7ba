// SPDX-License-Identifier: Apache-2.0
// A first policy from hosts that are known to be good: what all their RoCE ports have in common is
// written as a value, with how many said so. Where they differ nothing is chosen: the groups and
// who is in them are a comment, and somebody who knows the fabric decides. What was not read is
// never taken for agreement.
#pragma once

#include <string>
#include <vector>

#include "roceready/v1/facts.pb.h"

namespace roceready::checks {

// The text of a policy file that the strict reader takes. `name` is a policy's name; `hosts` have
// the facts of one host each, under identity.host.
std::string LearnPolicy(const std::string& name, const std::vector<const v1::HostFacts*>& hosts);

}  // namespace roceready::checks
