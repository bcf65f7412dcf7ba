// SPDX-License-Identifier: Apache-2.0
// One quantity of a few ways as a matrix: a row for each sender, a column for each receiver.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "controller/cli/way_quantities.h"

namespace roceready::cli {

// Ports that ways join, one below the other: of a rail, as a rule.
struct WayGroup {
  std::vector<const v1::ProbeWay*> ways;
};

// In the order of their first ways.
std::vector<WayGroup> GroupsOf(std::span<const v1::ProbeWay* const> ways);

// Lines of at most `width` characters and `lines` lines; none where it takes more. In a cell: "-"
// is the port itself, "." is not in the plan.
std::optional<std::string> RenderMatrix(const std::vector<WayGroup>& groups,
                                        const WayQuantity& quantity, std::size_t width,
                                        std::size_t lines);

}  // namespace roceready::cli
