// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/pattern.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace roceready::probe {
namespace {

constexpr size_t kWord = sizeof(uint64_t);

// The finaliser of the splitmix64 generator: every input bit reaches every output bit.
uint64_t Mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// Each 8 bytes of the buffer are one word of the pattern, least significant byte first, so that
// hosts of either byte order agree.
std::array<uint8_t, kWord> WordAt(uint64_t base, uint64_t index, uint8_t flip) {
  const uint64_t value = Mix(base + index * 0x9e3779b97f4a7c15ULL);
  std::array<uint8_t, kWord> word;
  for (size_t i = 0; i < kWord; ++i) word[i] = static_cast<uint8_t>(value >> (8 * i)) ^ flip;
  return word;
}

uint64_t BaseOf(const Pattern& pattern) {
  return Mix(pattern.seed) ^ Mix(0xd1b54a32d192ed03ULL + pattern.phase);
}

void FillFlipped(std::span<uint8_t> bytes, const Pattern& pattern, uint8_t flip) {
  const uint64_t base = BaseOf(pattern);
  for (size_t offset = 0; offset < bytes.size(); offset += kWord) {
    const auto word = WordAt(base, offset / kWord, flip);
    std::memcpy(bytes.data() + offset, word.data(), std::min(kWord, bytes.size() - offset));
  }
}

}  // namespace

void Fill(std::span<uint8_t> bytes, const Pattern& pattern) { FillFlipped(bytes, pattern, 0); }

void FillWithOpposite(std::span<uint8_t> bytes, const Pattern& pattern) {
  FillFlipped(bytes, pattern, 0xff);
}

Comparison Compare(std::span<const uint8_t> bytes, const Pattern& pattern) {
  Comparison comparison;
  const uint64_t base = BaseOf(pattern);
  for (size_t offset = 0; offset < bytes.size(); offset += kWord) {
    const auto word = WordAt(base, offset / kWord, 0);
    const size_t size = std::min(kWord, bytes.size() - offset);
    if (std::memcmp(bytes.data() + offset, word.data(), size) == 0) {
      comparison.matching_bytes += size;
      continue;
    }
    for (size_t i = 0; i < size; ++i) {
      if (bytes[offset + i] == word[i]) {
        ++comparison.matching_bytes;
      } else if (!comparison.first_mismatch) {
        comparison.first_mismatch = offset + i;
      }
    }
  }
  return comparison;
}

}  // namespace roceready::probe
