// SPDX-License-Identifier: Apache-2.0
// An audit of saved facts: files that `roceready-agent facts` wrote, judged here with no
// controller.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "controller/cli/report_output.h"

namespace roceready::cli {

// Every *.json of `directory` is one host. `policy` is a file, or the name of one under
// /etc/roceready/policies; empty: lossless-dscp there. A file that cannot be read is an error that
// names it: a host must not vanish from a verdict.
absl::StatusOr<AuditResult> JudgeSavedFacts(const std::string& directory,
                                            const std::string& policy);

}  // namespace roceready::cli
