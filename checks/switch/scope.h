// SPDX-License-Identifier: Apache-2.0
// Which switches, and which of their ports, matter to the hosts of an audit.
//
// Left out is only what is known to be of others: a port at which the switch's plan has a host that
// is not of the audit (and that none of the audit's hears), and a whole switch that has
// host-facing ports while none of the audit's hosts is there. Fabric-facing ports, ports of which
// nothing is written down, and spines stay. The ASICs of one switch are one switch.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "checks/switch/switch_set.h"

namespace roceready::checks {

struct AuditedHosts {
  // Of all that were asked for and are not in maintenance, by ShortName().
  std::set<std::string> names;
  // SwitchPortKey() of what their ports are plugged into.
  std::set<PortKey> plugged_into;
};

struct SwitchScope {
  // What is judged, each switch with the ports that are.
  std::deque<SwitchView> views;
  // Names of switches with none of the audit's hosts.
  std::vector<std::string> unrelated;
  // Ports of `views` at which other hosts are.
  size_t ports_of_others = 0;
  // There are hosts, and nothing tells where any of them is plugged in: all is judged whole.
  bool is_cabling_unknown = false;
};

// Without any host all switches are judged whole. The set outlives the scope.
SwitchScope ScopeOf(const SwitchSet& switches, const AuditedHosts& hosts);

}  // namespace roceready::checks
