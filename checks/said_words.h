// SPDX-License-Identifier: Apache-2.0
// Reads again what an observation says in lines of words. Views, because it is read for every pair
// of a fleet.
#pragma once

#include <string_view>

namespace roceready::checks {

// Cuts off the first line, without its end.
inline std::string_view CutLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// Cuts off the first word, and what stands before it; empty: there is none.
inline std::string_view CutWord(std::string_view& text) {
  constexpr std::string_view kSpace = " \n";
  const size_t begin = text.find_first_not_of(kSpace);
  text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
  const std::string_view word = text.substr(0, text.find_first_of(kSpace));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace roceready::checks
