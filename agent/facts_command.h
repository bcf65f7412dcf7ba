// SPDX-License-Identifier: Apache-2.0
// `roceready-agent facts`: what this host's kernel says, once, as a FactsFile in JSON.
#pragma once

#include <absl/status/statusor.h>

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

// What `facts` printed. kInvalidArgument names the file and what is wrong with it.
absl::StatusOr<v1::FactsFile> ReadFactsFile(const std::string& path);

// Original field names, two spaces of indentation, a newline at the end.
std::string ToJson(const google::protobuf::Message& message);

int PrintFacts(const FactsOptions& options, std::ostream& out);

}  // namespace roceready::agent
