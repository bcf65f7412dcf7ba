// SPDX-License-Identifier: Apache-2.0
// What another policy would make of the same facts, for people and programs. Pure.
#pragma once

#include <google/protobuf/struct.pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checks/report/report.h"
#include "checks/what_if.h"

namespace roceready::report {

struct WhatIfSide {
  v1::AuditReport report;
  // "lossless-dscp, in force at the controller", "site.yaml".
  std::string policy;
};

struct WhatIfReport {
  WhatIfSide before;
  WhatIfSide after;
  checks::WhatIf changes;
  // Of the fact read longest ago, by host; none: not known. A host without facts has no entry.
  std::map<std::string, std::optional<int64_t>> fact_age_seconds;
  // What this cannot tell, in words.
  std::vector<std::string> not_compared;
};

// The verdicts, who changes sides, and each check whose findings move with the first of them.
std::string RenderWhatIf(const WhatIfReport& report, const TableOptions& options = {});

// {"before": {"policy": ..., "policy_digest": ..., "readiness": "READINESS_READY"}, "after": {...},
// "hosts": [{"host": ..., "before": "green", "after": "red", "fact_age_seconds": 41}],
// "checks": [{"check_id": ..., "before": "none", "after": "blocks", "count": 3, "hosts":
// "gpu[1-3]", "first": FINDING}], "not_compared": [...]}. Each host has a row; a finding is as in
// RenderJson().
google::protobuf::Struct WhatIfAsMessage(const WhatIfReport& report);

}  // namespace roceready::report
