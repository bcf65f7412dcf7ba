// SPDX-License-Identifier: Apache-2.0
// What is wrong with a YAML file, and where.
#pragma once

#include <absl/status/status.h>

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace roceready::yaml {

// Both from 1, in characters; 0:0 is "nowhere in the text".
struct Position {
  int line = 0;
  int column = 0;

  auto operator<=>(const Position&) const = default;
};

struct Problem {
  std::string file;
  Position at;
  // "intent.roce_dscp", "checks[2].severity"; empty at the top of the file.
  std::string path;
  // "found 64, expected a number from 0 to 63".
  std::string text;

  // "lossless.yaml:14:14: intent.roce_dscp: found 64, expected a number from 0 to 63"
  std::string Render() const;

  bool operator==(const Problem&) const = default;
};

// One problem a line, in the order of the file, without an end of line at the end.
std::string Render(const std::vector<Problem>& problems);

// In the order of the file; what is at no place in it comes last.
void SortByPosition(std::vector<Problem>& problems);

// OK for no problem, else InvalidArgument with all of them.
absl::Status ToStatus(const std::vector<Problem>& problems);

// A value as an error shows it: in quotes, control characters escaped, cut after 40 characters.
std::string Quote(std::string_view text);

// "" or, where one of `known` is spelt much like `word`, " (did you mean WORD?)".
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

// "a", "a or b", "a, b or c".
std::string OneOf(const std::vector<std::string>& words);

}  // namespace roceready::yaml
