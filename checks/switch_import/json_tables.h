// SPDX-License-Identifier: Apache-2.0
// JSON text as the tables of a configuration database: table -> row -> field -> words, each with
// its place in the text. The one place that knows nlohmann/json.
//
// What is refused: text that is not UTF-8, longer or deeper or of more values than the limits
// below, a key given twice (which of the two holds is anybody's guess), and, in the tables that are
// read, a row that is no object or a control character, also an escaped one.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/yaml/problem.h"

namespace roceready::switches {

// A chassis with 500 ports writes about 2 MiB.
inline constexpr std::size_t kMaxTextBytes = 8 << 20;
inline constexpr std::size_t kMaxDepth = 16;
inline constexpr std::size_t kMaxValues = 500'000;

struct Field {
  // Byte offset in the text.
  std::size_t at = 0;
  // A string or number; empty for anything else (a list, a nested object, null), which `is_word`
  // tells from an empty string.
  std::string word;
  bool is_word = false;
};

struct Row {
  std::string table;
  std::string key;
  std::size_t at = 0;
  std::map<std::string, Field, std::less<>> fields;
};

class Tables {
 public:
  // Rows in the order of the text; none where there is no such table.
  const std::vector<Row>& Of(std::string_view table) const;
  const Row* Find(std::string_view table, std::string_view key) const;
  bool Has(std::string_view table) const { return tables_.find(table) != tables_.end(); }
  bool empty() const { return tables_.empty(); }

  // Makes the table where it is not there yet: it may have no row.
  void Make(std::string_view table);
  // False: the row is there already.
  bool Add(Row row);

 private:
  struct Table {
    std::vector<Row> rows;
    std::map<std::string, std::size_t, std::less<>> by_key;
  };
  std::map<std::string, Table, std::less<>> tables_;
};

// The tables, or empty with at least one problem added. `wanted` are the tables that are read: the
// others may have any shape. A row may also stand by itself, as "TABLE|KEY": {...}.
std::optional<Tables> ParseTables(std::string_view text, std::string_view file_name,
                                  const std::vector<std::string_view>& wanted,
                                  std::vector<yaml::Problem>& problems);

}  // namespace roceready::switches
