// SPDX-License-Identifier: Apache-2.0
// Order of host names, and writing many of them shortly.
#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "proto/contract/host_list.h"
#include "proto/contract/host_list_syntax.h"

namespace roceready {
namespace {

// Names with more numbers than this keep the foremost as text: each number is one more pass.
constexpr std::size_t kMaxFoldedNumbers = 8;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t DigitsEnd(std::string_view text, std::size_t from) {
  while (from < text.size() && IsDigit(text[from])) ++from;
  return from;
}

// -1, 0, 1 as with numbers of any length; equal values order by their number of leading zeros.
int CompareDigits(std::string_view a, std::string_view b) {
  const std::string_view value_a = a.substr(std::min(a.find_first_not_of('0'), a.size()));
  const std::string_view value_b = b.substr(std::min(b.find_first_not_of('0'), b.size()));
  if (value_a.size() != value_b.size()) return value_a.size() < value_b.size() ? -1 : 1;
  if (const int order = value_a.compare(value_b); order != 0) return order < 0 ? -1 : 1;
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return 0;
}

// A family of names that differ only in numbers: texts and numbers take turns, text first. A number
// is the written form of a set: "7", "001-004,009".
struct Pattern {
  std::vector<std::string> texts;
  std::vector<std::string> numbers;
};

Pattern Split(std::string_view name) {
  Pattern pattern{.texts = {""}, .numbers = {}};
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = DigitsEnd(name, at);
    if (end == at) {
      pattern.texts.back() += name[at++];
    } else if (end - at > host_list::kMaxDigits) {
      pattern.texts.back() += name.substr(at, end - at);
      at = end;
    } else {
      pattern.numbers.emplace_back(name.substr(at, end - at));
      pattern.texts.emplace_back();
      at = end;
    }
  }
  while (pattern.numbers.size() > kMaxFoldedNumbers) {
    pattern.texts[0] += pattern.numbers[0] + pattern.texts[1];
    pattern.texts.erase(pattern.texts.begin() + 1);
    pattern.numbers.erase(pattern.numbers.begin());
  }
  return pattern;
}

std::uint64_t Value(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// "1", "2", "3", "7" -> "1-3,7". Numbers join one range while the range's padding writes them.
std::string WriteSet(std::vector<std::string> numbers) {
  std::sort(numbers.begin(), numbers.end(),
            [](const std::string& a, const std::string& b) { return CompareDigits(a, b) < 0; });
  std::string written;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() &&
           numbers[last + 1] == host_list::Pad(Value(numbers[last]) + 1, numbers[first].size())) {
      ++last;
    }
    if (!written.empty()) written += ',';
    written += numbers[first];
    if (last > first) written += '-' + numbers[last];
    first = last + 1;
  }
  return written;
}

// Joins the patterns that agree in all but number `position`.
std::vector<Pattern> JoinAt(std::size_t position, std::vector<Pattern> patterns) {
  using Key = std::pair<std::vector<std::string>, std::vector<std::string>>;
  std::map<Key, std::vector<std::string>> groups;
  std::vector<Pattern> joined;
  for (Pattern& pattern : patterns) {
    if (position >= pattern.numbers.size()) {
      joined.push_back(std::move(pattern));
      continue;
    }
    std::string number = std::exchange(pattern.numbers[position], "");
    groups[{std::move(pattern.texts), std::move(pattern.numbers)}].push_back(std::move(number));
  }
  for (auto& [key, numbers] : groups) {
    Pattern pattern{.texts = key.first, .numbers = key.second};
    pattern.numbers[position] = WriteSet(std::move(numbers));
    joined.push_back(std::move(pattern));
  }
  return joined;
}

std::string Write(const Pattern& pattern) {
  std::string written = pattern.texts[0];
  for (std::size_t i = 0; i < pattern.numbers.size(); ++i) {
    const std::string& number = pattern.numbers[i];
    const bool is_set = number.find_first_of(",-") != std::string::npos;
    written += is_set ? "[" + number + "]" : number;
    written += pattern.texts[i + 1];
  }
  return written;
}

}  // namespace

bool HostNameLess(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (IsDigit(a[i]) && IsDigit(b[j])) {
      const std::size_t end_a = DigitsEnd(a, i);
      const std::size_t end_b = DigitsEnd(b, j);
      const int order = CompareDigits(a.substr(i, end_a - i), b.substr(j, end_b - j));
      if (order != 0) return order < 0;
      i = end_a;
      j = end_b;
    } else {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

std::string FoldHostList(std::vector<std::string> names) {
  std::sort(names.begin(), names.end(), HostNameLess);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<Pattern> patterns;
  patterns.reserve(names.size());
  std::size_t numbers = 0;
  for (const std::string& name : names) {
    patterns.push_back(Split(name));
    numbers = std::max(numbers, patterns.back().numbers.size());
  }
  // The last number first: "rack1-node[01-16]" before "rack[1-8]-node[01-16]".
  for (std::size_t position = numbers; position-- > 0;) {
    patterns = JoinAt(position, std::move(patterns));
  }
  std::vector<std::string> items;
  items.reserve(patterns.size());
  for (const Pattern& pattern : patterns) items.push_back(Write(pattern));
  std::sort(items.begin(), items.end(), HostNameLess);
  std::string list;
  for (const std::string& item : items) {
    if (!list.empty()) list += ',';
    list += item;
  }
  return list;
}

}  // namespace roceready
