// SPDX-License-Identifier: Apache-2.0
// For each check, what raises it: the smallest change to a fleet that is all right. The fleet
// before the change is what clears it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/checks/audit.h"

namespace roceready::checks {

// Three hosts with a VLAN each, one on a known switch, all pairs probed, and a policy that leaves
// nothing out: every check that their NICs let it judge has something to judge, and passes.
class FullFleet {
 public:
  explicit FullFleet(builders::Nic nic = builders::Nic::kLab, int rails = 1);

  AuditOf audit;
  // host1-host2, host2-host3, host3-host1.
  std::vector<builders::ProbeBuilder> probes;
  // host1 and host3 to host2, at once.
  std::vector<builders::ProbeBuilder> incast;
  std::vector<v1::Finding> given;

  builders::HostBuilder& host2() { return audit.host(1); }
  v1::AuditReport Report();
};

struct Case {
  std::string_view check_id;
  std::string_view what;
  void (*breaks)(FullFleet& fleet);
  // Root causes and what is folded under them, in the words of RootsOf() and FoldedOf().
  std::vector<std::string> roots;
  std::vector<std::string> folded;
  // The fleet that is broken: of hosts as our lab has them, or with this NIC and so many rails.
  builders::Nic nic = builders::Nic::kLab;
  int rails = 1;

  FullFleet Fleet() const { return FullFleet(nic, rails); }
};

// By topic, each in a file of its own.
std::vector<Case> NetworkCases();
std::vector<Case> HardwareCases();
std::vector<Case> PlatformCases();
std::vector<Case> SurroundingsCases();
std::vector<Case> SwitchCases();
std::vector<Case> FleetCases();

const std::vector<Case>& Cases();

}  // namespace roceready::checks
