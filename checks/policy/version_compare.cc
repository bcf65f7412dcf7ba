// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/version_compare.h"

#include <algorithm>
#include <string>
#include <vector>

namespace roceready {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Digits without leading zeros compare by length, then as text: no length overflows.
struct Part {
  bool is_hex = false;
  std::string digits;
  std::string letters;
};

std::string_view FirstWord(std::string_view text) {
  const std::size_t start = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(start);
  return text.substr(0, text.find_first_of(" \t\n(/,"));
}

Part ParsePart(std::string_view text) {
  Part part;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') &&
      std::all_of(text.begin() + 2, text.end(), IsHexDigit)) {
    part.is_hex = true;
    part.digits = text.substr(2);
    for (char& digit : part.digits) {
      if (digit >= 'A' && digit <= 'F') digit = static_cast<char>(digit - 'A' + 'a');
    }
  } else {
    const auto end = std::find_if_not(text.begin(), text.end(), IsDigit);
    part.digits = std::string(text.begin(), end);
    part.letters = std::string(end, text.end());
  }
  part.digits.erase(0, part.digits.find_first_not_of('0'));
  return part;
}

std::vector<Part> Parse(std::string_view text) {
  std::string_view rest = FirstWord(text);
  std::vector<Part> parts;
  if (rest.empty() || !IsDigit(rest.front())) return parts;
  while (true) {
    const std::size_t end = rest.find_first_of(".-");
    parts.push_back(ParsePart(rest.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    rest.remove_prefix(end + 1);
  }
}

std::optional<std::strong_ordering> Compare(const Part& a, const Part& b) {
  if (a.is_hex != b.is_hex && !a.digits.empty() && !b.digits.empty()) return std::nullopt;
  if (const auto order = a.digits.size() <=> b.digits.size(); order != 0) return order;
  if (const auto order = a.digits <=> b.digits; order != 0) return order;
  return a.letters <=> b.letters;
}

}  // namespace

std::optional<std::strong_ordering> CompareVersions(std::string_view a, std::string_view b) {
  const std::vector<Part> parts_a = Parse(a);
  const std::vector<Part> parts_b = Parse(b);
  if (parts_a.empty() || parts_b.empty()) return std::nullopt;
  const Part zero;
  for (std::size_t i = 0; i < std::max(parts_a.size(), parts_b.size()); ++i) {
    const auto order =
        Compare(i < parts_a.size() ? parts_a[i] : zero, i < parts_b.size() ? parts_b[i] : zero);
    if (!order || *order != 0) return order;
  }
  return std::strong_ordering::equal;
}

bool IsVersion(std::string_view text) { return !Parse(text).empty(); }

}  // namespace roceready
