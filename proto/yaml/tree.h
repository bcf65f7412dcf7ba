// SPDX-License-Identifier: Apache-2.0
// YAML text to a plain tree with positions. The one place that knows yaml-cpp.
//
// Beyond the syntax, a file must be: one document, valid UTF-8 without control characters, without
// anchors, aliases and tags (a few lines of aliases can stand for gigabytes), and within the limits
// below.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/yaml/problem.h"

namespace roceready::yaml {

inline constexpr std::size_t kMaxTextBytes = 1 << 20;
inline constexpr std::size_t kMaxDepth = 32;
inline constexpr std::size_t kMaxNodes = 100'000;

struct Node {
  enum class Kind { kNothing, kScalar, kList, kMap };

  Kind kind = Kind::kNothing;
  Position at;
  // Of a scalar, as written (quotes and escapes undone).
  std::string text;
  bool quoted = false;
  // Of a list, or the values of a map.
  std::vector<Node> items;
  // Of a map: keys[i] belongs to items[i].
  std::vector<Node> keys;
};

// The tree, or empty with at least one problem added. A text without content is kNothing.
std::optional<Node> ParseTree(std::string_view text, std::string_view file_name,
                              std::vector<Problem>& problems);

}  // namespace roceready::yaml
