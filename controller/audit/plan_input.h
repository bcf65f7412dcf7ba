// SPDX-License-Identifier: Apache-2.0
// What planning the probes of an audit needs to know.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controller/audit/judging.h"
#include "controller/probing/plan.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {

// All but how much time there is. Hosts that were silent when facts were read cannot be probed.
PlanInput InputOfPlan(const v1::Audit& audit, std::shared_ptr<const JudgedHosts> judged);

// Of an incast: hosts whose agents cannot take part in it.
void NoteHostsWithoutIncast(const std::vector<std::string>& hosts, const Fleet& fleet,
                            PlanInput* input);

// Hosts whose agents know datagrams, and for how many flows they have queue pairs.
void NoteDatagramRoom(const std::vector<std::string>& hosts, const Fleet& fleet, PlanInput* input);

// Hosts that have gone since.
void NoteHostsGone(const std::vector<std::string>& hosts, const Fleet& fleet, PlanInput* input);

}  // namespace roceready
