// SPDX-License-Identifier: Apache-2.0
// The parsed form of a host list, shared by expansion and matching. Internal to proto/contract.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roceready::host_list {

// Longest number that is read as a number; 18 digits fit an int64.
inline constexpr std::size_t kMaxDigits = 18;

// The numbers first..last, each printed with at least `width` digits.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t width = 1;
};

// One piece of a name: literal text, a choice of numbers, or "*".
struct Segment {
  enum class Kind { kText, kRanges, kAnything };
  Kind kind = Kind::kText;
  std::string text;
  std::vector<Range> ranges;
};

struct Item {
  std::size_t column = 0;
  std::vector<Segment> segments;
};

enum class Wildcards { kRefused, kAllowed };

absl::StatusOr<std::vector<Item>> Parse(std::string_view list, Wildcards wildcards);

// "host list, column N: TEXT"; PointAt() knows the place.
absl::Status ErrorAtColumn(std::size_t column, std::string_view text);

// `value` with leading zeros up to `width` digits.
std::string Pad(std::uint64_t value, std::size_t width);

}  // namespace roceready::host_list
