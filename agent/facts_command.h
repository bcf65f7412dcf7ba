// SPDX-License-Identifier: Apache-2.0
// `roceready-agent facts`: what this host's kernel says, once, as a FactsFile in JSON.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <iosfwd>
#include <memory>
#include <string>

#include "agent/facts/sources.h"
#include "proto/process/clock.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::agent {

struct FactsOptions {
  // A recorded host instead of the live one (agent/facts/recorded.h).
  std::string root = "/";
  // Writes all that was read into this new folder as well, for a later `root`; empty: nowhere.
  std::string record;
  // The name the facts are given; empty: the kernel's own host name.
  std::string host;
  bool raw_counters = false;
  // Of one reading.
  Duration deadline = std::chrono::seconds(2);
};

// The live host for "/", else the recorded one of that folder. kNotFound: there is no such folder.
absl::StatusOr<std::shared_ptr<const facts::Sources>> SourcesOf(const std::string& root);

// Reads the host, once; takes a few deadlines at most, whatever hangs. The live host is read by a
// child (reading_process.h), so that a reading that hangs in the kernel does not keep us.
// kNotFound: `root` is no folder; kInvalidArgument: both `root` and `record`; kFailedPrecondition:
// `record` is not empty.
absl::StatusOr<v1::FactsFile> CollectOnce(const FactsOptions& options);

int PrintFacts(const FactsOptions& options, std::ostream& out, std::ostream& error);

}  // namespace roceready::agent
