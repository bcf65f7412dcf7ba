// SPDX-License-Identifier: Apache-2.0
// Checks about hosts as such: host.heard-from is judged before there are any facts (evaluate.cc),
// fleet.duplicate-host is said by the controller, who alone sees two agents of one name.
#include "checks/check.h"

namespace roceready::checks {

Check HostHeardFrom() {
  return {
      .id = "host.heard-from",
      .title = "The host is heard from, its facts fresh",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_BLOCK,
      .why =
          "Nothing can be said about a host that is silent: it may be off, and the job would "
          "wait for it.",
      .how =
          "The host's agent must be connected and answer with fresh facts, or its saved facts be "
          "given; where the audit allows facts of an age, no part of them may be older. A host in "
          "maintenance is not judged.",
      .fix = "See `systemctl status roceready-agent` and `roceready-agent status` on the host.",
      .sources = {"the agent's connection"},
      .explained_by = {},
      .takes_readings_away = true,
  };
}

Check FleetDuplicateHost() {
  return {
      .id = "fleet.duplicate-host",
      .title = "No two machines go by one name",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_BLOCK,
      .why =
          "Two machines with one certificate overwrite each other's facts: a sick one can look "
          "like a healthy one.",
      .how =
          "An agent that connects under the name of one that is connected, from a machine with "
          "another machine id, is refused and named here.",
      .fix = "Give each machine its own certificate; regenerate the machine id of a cloned image.",
      .sources = {"the agent's certificate and machine id"},
      .explained_by = {},
  };
}

}  // namespace roceready::checks
