// SPDX-License-Identifier: Apache-2.0
// Puts texts together. Ids and paths are made by the million when a fleet is judged, and reading a
// format string for each takes longer than all else.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace roceready {

inline std::string Concat(std::initializer_list<std::string_view> pieces) {
  size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  std::string text;
  text.reserve(size);
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace roceready
