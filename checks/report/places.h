// SPDX-License-Identifier: Apache-2.0
// Where findings are and what they weigh, in a few words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checks/fold.h"
#include "roceready/v1/finding.pb.h"

namespace roceready::report {

// The hosts of these findings as a folded list; empty where no finding is a host's.
std::string HostsOf(const std::vector<const v1::Finding*>& findings);

// "host[1-3] eth0 (rxe0)"; many different places become "gpu[001-128], 1024 places".
std::string PlacesOf(const std::vector<const v1::Finding*>& findings);

// "blocks", "degrades", "advice"; "unknown, must be known".
std::string_view WeightOf(const checks::Block& block);

// "blocks", "degrades", "advice".
std::string_view SeverityWord(v1::Severity severity);

// "3 faults block the job, 1 unknown"; of a set without any "128 hosts".
std::string CountsOf(const v1::Verdict& verdict);

// "1 switch", "3 switches".
std::string SwitchesOf(const v1::Coverage& coverage);

}  // namespace roceready::report
