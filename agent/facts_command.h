// SPDX-License-Identifier: Apache-2.0
// `roceready-agent facts`: what this host's kernel says, once, as a FactsFile in JSON.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "proto/process/clock.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::agent {

struct FactsOptions {
  // The name the facts are given; empty: the kernel's own host name.
  std::string host;
  bool raw_counters = false;
  // Of one reading.
  Duration deadline = std::chrono::seconds(2);
};

// Reads the live host, once.
v1::FactsFile CollectOnce(const FactsOptions& options);

int PrintFacts(const FactsOptions& options, std::ostream& out, std::ostream& error);

}  // namespace roceready::agent
