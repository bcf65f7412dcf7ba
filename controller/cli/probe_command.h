// SPDX-License-Identifier: Apache-2.0
// `roceready probe`: an audit of which is shown what its probes measured; `probe show`: the same of
// an audit that there is; `probe stop`: no more traffic, at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/cli/output.h"
#include "controller/cli/run_audit.h"
#include "controller/cli/way_quantities.h"
#include "roceready/v1/config.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::cli {

struct ProbeOptions {
  AuditOptions audit;
  std::optional<Measure> matrix;  // none: all
};

struct ProbeShowOptions {
  std::string audit_id;
  std::optional<Measure> matrix;
};

struct ProbeStopOptions {
  std::string audit_id;  // empty: of all audits
  bool all = false;
  std::string reason;
};

// The status is that of the audit.
int ProbeCommand(const v1::ClientConfig& config, const ProbeOptions& options,
                 const OutputOptions& output);

int ProbeShowCommand(const v1::ClientConfig& config, const ProbeShowOptions& options,
                     const OutputOptions& output);

// 0: nobody sends any more. 3: a host has not said so.
int ProbeStopCommand(const v1::ClientConfig& config, const ProbeStopOptions& options,
                     const OutputOptions& output);

// What a stop did, in words.
std::string RenderStop(const v1::StopProbesResponse& stopped);

}  // namespace roceready::cli
