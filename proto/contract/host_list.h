// SPDX-License-Identifier: Apache-2.0
// Sets of host names, written as Slurm writes them: "gpu[001-128,200],login1 store[1-2]-ib[0-1]".
//
//   list    = item { ("," | white space) item }
//   item    = one or more of: text, "[" range { "," range } "]"
//   range   = number | number "-" number
//
// The digits of a range's first number set the zero padding ("[009-011]" is 009, 010, 011). Names
// are made lower case, as the names in host certificates are. Brackets do not nest. Every malformed
// input is an InvalidArgument that names the column (from 1) and what was expected there.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace roceready {

// Bounds of what a list may ask for, so that "n[1-999999999]" is an error and not 20 GB.
inline constexpr std::size_t kMaxHostNames = 100'000;
inline constexpr std::size_t kMaxHostListBytes = 4 << 20;
// RFC 1035, section 2.3.4, without the trailing dot.
inline constexpr std::size_t kMaxHostNameBytes = 253;

// Digit runs compare as numbers: gpu2 < gpu10, and gpu2 < gpu02 (same value: the shorter first).
bool HostNameLess(std::string_view a, std::string_view b);

// The names of a list, each once, in HostNameLess order.
absl::StatusOr<std::vector<std::string>> ExpandHostList(std::string_view list);

// The shortest list we know how to write for these names (in any order, repeated or not):
// ExpandHostList(FoldHostList(names)) is `names`, sorted, each once. No name gives "".
std::string FoldHostList(std::vector<std::string> names);

// A list compiled for membership tests; it never expands, so its cost does not grow with the
// number of names meant. Beyond the list syntax, "*" stands for any text: "*", "gpu*", "*.lab".
class HostMatcher {
 public:
  static absl::StatusOr<HostMatcher> Parse(std::string_view list);

  bool Matches(std::string_view host) const;

 private:
  struct Items;
  explicit HostMatcher(std::shared_ptr<const Items> items) : items_(std::move(items)) {}

  std::shared_ptr<const Items> items_;
};

// The part of a list that an error of it is about, on a line of its own, and below it a caret under
// the place; empty where the error names no place in the list. For people:
//
//   gpu[001-128,
//      ^
std::string PointAt(std::string_view list, const absl::Status& error);

// HostMatcher in one call, for a list that is asked once.
absl::StatusOr<bool> MatchesHostList(std::string_view list, std::string_view host);

}  // namespace roceready
