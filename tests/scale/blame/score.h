// SPDX-License-Identifier: Apache-2.0
// How often the right one was named, and what was named in its place.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace roceready::scale {

class Score {
 public:
  // Names as in fabric.h, whose first two words are the kind ("loss port").
  void Add(const std::set<std::string>& expected, const std::set<std::string>& named);

  double Precision() const;
  double Recall() const;
  size_t expected() const { return expected_; }
  size_t named() const { return named_; }
  // A row for each kind of fault: how many, how many named, and as what the others.
  std::string Table() const;

 private:
  struct Row {
    size_t expected = 0, right = 0;
    std::map<std::string, size_t> instead;
  };

  size_t expected_ = 0, named_ = 0, right_ = 0;
  std::map<std::string, Row> rows_;
};

}  // namespace roceready::scale
