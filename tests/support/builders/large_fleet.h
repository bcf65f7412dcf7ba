// SPDX-License-Identifier: Apache-2.0
// Hosts of fleets that are too large for a lab's addresses.
#pragma once

#include <cstdint>
#include <string_view>

#include "tests/support/builders/facts_builder.h"

namespace roceready::builders {

// Right in every respect under HealthyPolicy(), with mlx5 NICs; rail R is 10.(100 + R).0.0/16.
// `number` is below 62,500, and no other host has it.
HostBuilder HostOfLargeFleet(std::string_view name, uint32_t number, int rails);

}  // namespace roceready::builders
