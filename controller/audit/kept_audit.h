// SPDX-License-Identifier: Apache-2.0
// An audit as it is kept over a restart: the answer to all that can be asked about it.
#pragma once

#include <memory>
#include <vector>

#include "controller/audit/audit_id.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {

struct KeptAudit {
  AuditId id;
  // With its request, who asked and, once it has ended, the verdict.
  v1::Audit audit;
  // False: the controller ended before it.
  bool ended = false;
  std::vector<v1::Finding> findings;
  // In the order in which they came: of several attempts the last counts.
  std::vector<std::shared_ptr<const v1::ProbeResult>> probe_results;
};

}  // namespace roceready
