// SPDX-License-Identifier: Apache-2.0
#include "tests/scale/blame/score.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace roceready::scale {
namespace {

std::string KindOf(const std::string& name) {
  const size_t second = name.find(' ', name.find(' ') + 1);
  return name.substr(0, second);
}

double Share(size_t part, size_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void Score::Add(const std::set<std::string>& expected, const std::set<std::string>& named) {
  std::vector<std::string> missed, wrong;
  std::ranges::set_difference(expected, named, std::back_inserter(missed));
  std::ranges::set_difference(named, expected, std::back_inserter(wrong));
  expected_ += expected.size();
  named_ += named.size();
  right_ += expected.size() - missed.size();
  for (const std::string& name : expected) ++rows_[KindOf(name)].expected;
  for (const std::string& name : expected) rows_[KindOf(name)].right += named.contains(name);
  // Kinds alone, so that a wrong direction or place shows as the kind itself.
  for (const std::string& name : missed) {
    Row& row = rows_[KindOf(name)];
    if (wrong.empty()) ++row.instead["nothing"];
    std::set<std::string> kinds;
    for (const std::string& other : wrong) kinds.insert(KindOf(other));
    for (const std::string& kind : kinds) ++row.instead[kind];
  }
  if (missed.empty()) {
    for (const std::string& other : wrong) ++rows_["(no fault)"].instead[KindOf(other)];
  }
}

double Score::Precision() const { return Share(right_, named_); }
double Score::Recall() const { return Share(right_, expected_); }

std::string Score::Table() const {
  std::string table =
      fmt::format("{:16} {:>8} {:>6}  named instead, or besides\n", "fault", "expected", "right");
  for (const auto& [kind, row] : rows_) {
    std::string instead;
    for (const auto& [other, count] : row.instead) {
      instead += fmt::format("{}{} x {}", instead.empty() ? "" : ", ", count, other);
    }
    table += fmt::format("{:16} {:>8} {:>6}  {}\n", kind, row.expected, row.right, instead);
  }
  return table;
}

}  // namespace roceready::scale
