// SPDX-License-Identifier: Apache-2.0
// Mixes as files, and their seeds.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <filesystem>

#include "tests/scale/blame/mix.h"

namespace roceready::scale {

absl::StatusOr<Mix> LoadMix(const std::filesystem::path& path);

// The number `seed` of a mix, the same wherever it is built.
uint64_t SeedOf(const Mix& mix, size_t seed);

}  // namespace roceready::scale
