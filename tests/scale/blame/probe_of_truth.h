// SPDX-License-Identifier: Apache-2.0
// What a probe of two ports shows of what is true of the ways between them.
#pragma once

#include <random>

#include "tests/scale/blame/fabric.h"
#include "tests/support/builders/probe_builder.h"

namespace roceready::scale {

// `probe` is one in which all went well. Bandwidths differ a little and now and then a message is
// repeated for no reason, as `random` has it; `blind`: no end has counters.
void ShowTruth(const PairTruth& truth, bool blind, std::mt19937_64& random,
               builders::ProbeBuilder& probe);

}  // namespace roceready::scale
