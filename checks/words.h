// SPDX-License-Identifier: Apache-2.0
// Numbers and lists as people write them.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace roceready::checks {

// "a, b and c"; elements are strings or numbers.
template <typename List>
std::string JoinWords(const List& list, std::string_view last = " and ") {
  std::string text;
  size_t left = static_cast<size_t>(list.size());
  for (const auto& element : list) {
    text += fmt::format("{}", element);
    if (--left > 0) text += left == 1 ? last : std::string_view(", ");
  }
  return text;
}

// "1 port", "3 ports".
inline std::string Counted(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "priority 3", "priorities 3 and 4", "no priority".
template <typename List>
std::string PriorityWords(const List& priorities) {
  if (priorities.empty()) return "no priority";
  return fmt::format("{} {}", priorities.size() == 1 ? "priority" : "priorities",
                     JoinWords(priorities));
}

// 24000 -> "24,000".
std::string Grouped(uint64_t number);

// 0.0083 -> "0.83 %"; two significant digits.
std::string Percent(double ratio);

}  // namespace roceready::checks
