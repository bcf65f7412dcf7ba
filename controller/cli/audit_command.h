// SPDX-License-Identifier: Apache-2.0
// `roceready audit`: asks the controller for an audit, shows its progress, prints the report; or,
// with --facts DIR, judges saved facts with no controller at all; or compares what two policies
// make of facts that are at hand (what_if_command.h).
#pragma once

#include "controller/cli/output.h"
#include "controller/cli/run_audit.h"
#include "roceready/v1/config.pb.h"

namespace roceready::cli {

int AuditCommand(const v1::ClientConfig& config, const AuditOptions& options,
                 const OutputOptions& output);

}  // namespace roceready::cli
