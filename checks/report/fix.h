// SPDX-License-Identifier: Apache-2.0
// A plan of mending as text for a shell, for ClusterShell or for Ansible. Nothing is ever run: the
// text is for a person to read first. Pure.
#pragma once

#include <string>

#include "checks/report/fix_plan.h"

namespace roceready::report {

struct FixHeading {
  // "audit a1-7", "facts of saved/".
  std::string of;
  std::string policy;
};

// A script for /bin/sh that is copied to the hosts and runs on each only the lines of that host.
std::string RenderFixShell(const FixPlan& plan, const FixHeading& heading);

// A line `clush -w HOSTS -- COMMAND` for each command.
std::string RenderFixClush(const FixPlan& plan, const FixHeading& heading);

// A playbook in YAML, one play for each list of hosts of a root cause.
std::string RenderFixAnsible(const FixPlan& plan, const FixHeading& heading);

}  // namespace roceready::report
