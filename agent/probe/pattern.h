// SPDX-License-Identifier: Apache-2.0
// The payload of verified phases: a byte is a function of the seed, the phase and its offset in the
// buffer, so that both ends can make and verify it alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace roceready::probe {

struct Pattern {
  uint64_t seed = 0;
  uint32_t phase = 0;
};

void Fill(std::span<uint8_t> bytes, const Pattern& pattern);
// Makes every byte differ from what Fill would write, so that a byte that never came is seen.
void FillWithOpposite(std::span<uint8_t> bytes, const Pattern& pattern);

struct Comparison {
  uint64_t matching_bytes = 0;
  // From the start of the span.
  std::optional<uint64_t> first_mismatch;
};
Comparison Compare(std::span<const uint8_t> bytes, const Pattern& pattern);

}  // namespace roceready::probe
