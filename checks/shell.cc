// SPDX-License-Identifier: Apache-2.0
#include "checks/shell.h"

#include <algorithm>

namespace roceready::checks {
namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// Means nothing to a shell, wherever in a word it stands.
bool IsPlain(char c) {
  return IsUpper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("_./:@%+=,-").find(c) != std::string_view::npos;
}

}  // namespace

std::string ShellWord(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, IsPlain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    // A single quote ends the quoting, is given by itself, and begins it anew.
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

bool HoldsPlaceholder(std::string_view command) {
  bool quoted = false;
  for (size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\'') quoted = !quoted;
    if (quoted) continue;
    if (command[i] == '\\') {
      ++i;
    } else if (command[i] == '<' && i + 1 < command.size() && IsUpper(command[i + 1])) {
      return true;
    }
  }
  return false;
}

}  // namespace roceready::checks
