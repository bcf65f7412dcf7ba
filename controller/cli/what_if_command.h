// SPDX-License-Identifier: Apache-2.0
// `roceready audit --policy NEW --facts stored|DIR [--against OLD]`: what another policy would make
// of facts that are at hand. No agent is asked for anything and nothing is probed.
//
// A policy that is a file is judged by here. Of one that is a name (and of the one in force, where
// no --against is given) nothing but the controller's own report can be had: the controller is
// asked for an audit without probes, of the facts that it has.
#pragma once

#include "controller/cli/audit_command.h"

namespace roceready::cli {

// The status is that of an audit by the new policy. `config` is not used for saved facts.
int WhatIfCommand(const v1::ClientConfig& config, const AuditOptions& options,
                  const OutputOptions& output);

}  // namespace roceready::cli
