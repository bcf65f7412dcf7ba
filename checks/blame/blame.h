// SPDX-License-Identifier: Apache-2.0
// From all probed pairs to the port, NIC, host or group that explains what several of them show, as
// a finding that the pairs' findings follow from.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "checks/blame/faults_found.h"
#include "checks/blame/probe_matrix.h"
#include "checks/blame/symptom.h"
#include "checks/judge.h"

namespace roceready::checks {

// Each may be the cause of those behind it.
inline constexpr std::array kSymptoms = {Symptom::kNoTraffic, Symptom::kLargeOnly, Symptom::kLoss,
                                         Symptom::kSlow};

// "blame.loss".
std::string_view BlameCheckOf(Symptom symptom);

// Key of a pair's finding -> key of the one that it follows from.
using CauseOf = std::map<std::string, std::string, std::less<>>;

CauseOf JudgeSymptom(Symptom symptom, const ProbeMatrix& matrix, const FaultsFound& found,
                     Judge& judge);

}  // namespace roceready::checks
