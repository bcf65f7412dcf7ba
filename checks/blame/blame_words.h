// SPDX-License-Identifier: Apache-2.0
// A blame in words: whom it names, what is wrong with it, how sure that is and where to look.
#pragma once

#include <string>
#include <vector>

#include "checks/blame/probe_matrix.h"
#include "checks/blame/suspect.h"

namespace roceready::checks {

v1::Subject SubjectOf(const Suspect& suspect, const ProbeMatrix& matrix,
                      const std::vector<Place>& places);

// "0.83 % of packets lost, sending only: 8 of 8 pairs, 792 others are well (confidence 99 %)"
std::string WhatIsWrong(Symptom symptom, const Blame& blame, const std::vector<MatrixWay>& ways,
                        const ProbeMatrix& matrix);

// Which part to look at, most likely first.
std::string WhereToLook(const Suspect& suspect);

}  // namespace roceready::checks
