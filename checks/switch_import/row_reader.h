// SPDX-License-Identifier: Apache-2.0
// Takes values out of rows: checks their form, says where each came from, and collects all that is
// wrong with file, line and column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/switch_import/json_tables.h"
#include "proto/yaml/problem.h"
#include "proto/yaml/utf8.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::switches {

struct Bounds {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};

class RowReader {
 public:
  // `text` is what the rows were parsed from, and outlives this.
  RowReader(std::string_view text, std::string_view file, std::vector<yaml::Problem>& problems);

  // Values as a row gives them; empty where the field is left out. An empty word counts as left
  // out, except in List().
  std::optional<std::string> Text(const Row& row, std::string_view field);
  std::optional<std::uint64_t> Number(const Row& row, std::string_view field, Bounds bounds);
  std::optional<std::int64_t> SignedNumber(const Row& row, std::string_view field);
  // The second of the pair whose first is the word.
  std::optional<bool> Flag(const Row& row, std::string_view field, std::string_view yes,
                           std::string_view no);
  std::optional<std::string> OneOf(const Row& row, std::string_view field,
                                   const std::vector<std::string>& words);
  // "3,4"; an empty word is an empty list.
  std::optional<std::vector<std::uint32_t>> List(const Row& row, std::string_view field,
                                                 Bounds bounds);
  // "[TABLE|NAME]" and "NAME" alike; a reference into another table than one of `tables` is a
  // problem.
  std::optional<std::string> Reference(const Row& row, std::string_view field,
                                       const std::vector<std::string_view>& tables);

  // Numbers in keys: "3", "3-4"; of a map's fields: name and word.
  std::vector<std::uint32_t> Range(const Row& row, std::string_view words, std::uint32_t max);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> Entries(const Row& row,
                                                               std::uint32_t max_from,
                                                               std::uint32_t max_to);

  void Problem(const Row& row, std::size_t at, std::string_view field, std::string text);

  // OK, from the row, or from one field of it.
  v1::Reading ReadingOf(const Row& row) const;
  v1::Reading ReadingOf(const Row& row, std::string_view field) const;
  // The file does not have it: the locator names the file and what was looked for.
  v1::Reading Absent(std::string_view what, std::string_view detail) const;

 private:
  v1::Reading ReadingAt(std::size_t at, const std::string& what) const;

  const std::string file_;
  // As locators name the file: without its folders.
  const std::string file_name_;
  const yaml::Lines lines_;
  std::vector<yaml::Problem>& problems_;
};

// "a|b|c" -> {"a", "b", "c"}.
std::vector<std::string_view> Split(std::string_view text, char separator);

}  // namespace roceready::switches
