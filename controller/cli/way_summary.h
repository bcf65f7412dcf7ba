// SPDX-License-Identifier: Apache-2.0
// One quantity of many ways: how they compare, counted, and the worst of them by name.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "controller/cli/way_quantities.h"

namespace roceready::cli {

// A line for each series and at most `worst` for ways that stand out, each at most `width` wide.
std::string RenderSummary(std::span<const v1::ProbeWay* const> ways, const WayQuantity& quantity,
                          std::size_t width, std::size_t worst);

}  // namespace roceready::cli
