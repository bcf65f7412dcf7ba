// SPDX-License-Identifier: Apache-2.0
// `roceready policy learn`: a first policy from hosts that are known to be good.
#pragma once

#include <string>

#include "controller/cli/output.h"
#include "roceready/v1/config.pb.h"

namespace roceready::cli {

struct PolicyLearnOptions {
  // Either: every *.json in it is one host; or a host list, whose facts the controller has.
  std::string facts_directory;
  std::string hosts;
  std::string name;
};

// Prints the policy. A host without facts is an error that names it: what it has is not known to be
// what all have. `config` is not used for saved facts.
int LearnCommand(const v1::ClientConfig& config, const PolicyLearnOptions& options,
                 const OutputOptions& output);

}  // namespace roceready::cli
