// SPDX-License-Identifier: Apache-2.0
// Reports that several renderers are shown at.
#pragma once

#include "roceready/v1/finding.pb.h"

namespace roceready::report {

// Host 2 has three faults of its own and one towards host 1; a fourth host is silent.
v1::AuditReport SickReport();

// Three hosts, all pairs probed.
v1::AuditReport HealthyReport();

}  // namespace roceready::report
