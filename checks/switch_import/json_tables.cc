// SPDX-License-Identifier: Apache-2.0
#include "checks/switch_import/json_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "proto/yaml/utf8.h"

namespace roceready::switches {
namespace {

// Shows the parser the text and us how far it has read: its events carry no positions.
class ReadingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  ReadingIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  ReadingIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  ReadingIterator operator++(int) {
    ReadingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const ReadingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

struct Value {
  enum class Kind { kObject, kList, kWord, kOther };
  struct Member;

  Kind kind = Kind::kOther;
  std::size_t at = 0;
  std::string word;
  std::vector<Member> members;
};
struct Value::Member {
  std::string key;
  std::size_t at = 0;
  Value value;
};

class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, const char** reached) : text_(text), reached_(reached) {}

  Value& root() { return root_; }
  std::size_t failed_at() const { return failed_at_; }
  const std::string& failure() const { return failure_; }

  bool null() override { return Add(Value::Kind::kOther, {}, StartOfLiteral()); }
  bool boolean(bool) override { return Add(Value::Kind::kOther, {}, StartOfLiteral()); }
  bool number_integer(number_integer_t number) override {
    return Add(Value::Kind::kWord, std::to_string(number), StartOfLiteral());
  }
  bool number_unsigned(number_unsigned_t number) override {
    return Add(Value::Kind::kWord, std::to_string(number), StartOfLiteral());
  }
  bool number_float(number_float_t, const string_t& text) override {
    return Add(Value::Kind::kWord, text, StartOfLiteral());
  }
  bool string(string_t& text) override {
    return Add(Value::Kind::kWord, std::move(text), StartOfString());
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(Value::Kind::kObject); }
  bool start_array(std::size_t) override { return Open(Value::Kind::kList); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    key_at_ = StartOfString();
    if (!keys_.back().insert(name).second) {
      return Fail(key_at_,
                  fmt::format("found {} again, expected each key once", yaml::Quote(name)));
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: TEXT"
    const std::string_view what = error.what();
    const std::size_t colon = what.find(": ");
    return Fail(at == 0 ? 0 : at - 1,
                std::string(colon == std::string_view::npos ? what : what.substr(colon + 2)));
  }

 private:
  bool Fail(std::size_t at, std::string text) {
    failed_at_ = std::min(at, text_.size());
    failure_ = std::move(text);
    return false;
  }

  std::size_t Reached() const { return static_cast<std::size_t>(*reached_ - text_.data()); }

  // A string has just been read, and nothing beyond it: its opening quote is the nearest one that
  // no backslash escapes.
  std::size_t StartOfString() const {
    std::size_t at = Reached() < 2 ? 0 : Reached() - 2;
    for (; at > 0; --at) {
      if (text_[at] != '"') continue;
      std::size_t backslashes = 0;
      while (backslashes < at && text_[at - 1 - backslashes] == '\\') ++backslashes;
      if (backslashes % 2 == 0) break;
      at -= backslashes;
    }
    return at;
  }

  // A number or word has just been read, and maybe the character behind it.
  std::size_t StartOfLiteral() const {
    const auto belongs = [&](std::size_t at) {
      const auto c = static_cast<unsigned char>(text_[at]);
      return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
    };
    std::size_t at = Reached();
    if (at > 0 && !belongs(at - 1)) --at;
    while (at > 0 && belongs(at - 1)) --at;
    return at;
  }

  bool Add(Value::Kind kind, std::string word, std::size_t at) {
    if (++count_ > kMaxValues) {
      return Fail(at, fmt::format("found more than {} values, expected a switch's configuration",
                                  kMaxValues));
    }
    Value value{.kind = kind, .at = at, .word = std::move(word), .members = {}};
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Value& parent = *open_.back();
    const bool named = parent.kind == Value::Kind::kObject;
    parent.members.push_back(
        {named ? std::exchange(key_, {}) : std::string(), named ? key_at_ : at, std::move(value)});
    return true;
  }

  bool Open(Value::Kind kind) {
    const std::size_t at = Reached() == 0 ? 0 : Reached() - 1;
    if (open_.size() >= kMaxDepth) {
      return Fail(at, fmt::format("found values nested more than {} deep", kMaxDepth));
    }
    if (!Add(kind, {}, at)) return false;
    // A vector that grows moves its elements, but never while one of them is open.
    open_.push_back(open_.empty() ? &root_ : &open_.back()->members.back().value);
    keys_.emplace_back();
    return true;
  }

  bool Close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  const std::string_view text_;
  const char** const reached_;
  Value root_;
  std::vector<Value*> open_;
  std::vector<std::set<std::string>> keys_;
  std::string key_;
  std::size_t key_at_ = 0;
  std::size_t count_ = 0;
  std::size_t failed_at_ = 0;
  std::string failure_;
};

// What may stand in a report or on a terminal: no control character, not even an escaped one.
bool IsPlain(std::string_view text) {
  return !yaml::FindUnprintable(text) && text.find_first_of("\t\n\r") == std::string_view::npos;
}

class Sorter {
 public:
  Sorter(const std::vector<std::string_view>& wanted, std::string_view file,
         const yaml::Lines& lines, std::vector<yaml::Problem>& problems)
      : wanted_(wanted), file_(file), lines_(lines), problems_(problems) {}

  void Sort(Value& root) {
    if (root.kind != Value::Kind::kObject) {
      return Problem(root.at, {}, "found no object, expected one with the tables of the switch");
    }
    for (Value::Member& member : root.members) {
      const std::size_t bar = member.key.find('|');
      const std::string table = member.key.substr(0, bar);
      if (std::find(wanted_.begin(), wanted_.end(), table) == wanted_.end()) continue;
      if (bar != std::string::npos) {
        AddRow(table, member.key.substr(bar + 1), member);
      } else {
        AddTable(table, member);
      }
    }
  }

  Tables Take() { return std::move(tables_); }

 private:
  void AddTable(const std::string& table, Value::Member& member) {
    if (member.value.kind != Value::Kind::kObject) {
      return Problem(member.value.at, table, "found no object, expected one with the table's rows");
    }
    tables_.Make(table);
    for (Value::Member& row : member.value.members) AddRow(table, row.key, row);
  }

  void AddRow(const std::string& table, const std::string& key, Value::Member& member) {
    if (!IsPlain(key)) {
      return Problem(member.at, table, "found a control character in a key, expected plain text");
    }
    const std::string path = table + "|" + key;
    if (member.value.kind != Value::Kind::kObject) {
      return Problem(member.value.at, path, "found no object, expected one with the row's fields");
    }
    Row row{.table = table, .key = key, .at = member.at, .fields = {}};
    for (Value::Member& field : member.value.members) {
      const bool is_word = field.value.kind == Value::Kind::kWord;
      if (!IsPlain(field.key) || !IsPlain(field.value.word)) {
        Problem(field.value.at, path, "found a control character, expected plain text");
        continue;
      }
      row.fields[field.key] = {field.value.at, std::move(field.value.word), is_word};
    }
    if (!tables_.Add(std::move(row))) {
      Problem(member.at, path, "found this row again, expected each row once");
    }
  }

  void Problem(std::size_t at, std::string path, std::string text) {
    problems_.push_back({std::string(file_), lines_.At(at), std::move(path), std::move(text)});
  }

  const std::vector<std::string_view>& wanted_;
  const std::string_view file_;
  const yaml::Lines& lines_;
  std::vector<yaml::Problem>& problems_;
  Tables tables_;
};

}  // namespace

const std::vector<Row>& Tables::Of(std::string_view table) const {
  static const std::vector<Row> none;
  const auto found = tables_.find(table);
  return found == tables_.end() ? none : found->second.rows;
}

const Row* Tables::Find(std::string_view table, std::string_view key) const {
  const auto found = tables_.find(table);
  if (found == tables_.end()) return nullptr;
  const auto row = found->second.by_key.find(key);
  return row == found->second.by_key.end() ? nullptr : &found->second.rows[row->second];
}

void Tables::Make(std::string_view table) { tables_.try_emplace(std::string(table)); }

bool Tables::Add(Row row) {
  Table& table = tables_[row.table];
  if (!table.by_key.try_emplace(row.key, table.rows.size()).second) return false;
  table.rows.push_back(std::move(row));
  return true;
}

std::optional<Tables> ParseTables(std::string_view text, std::string_view file_name,
                                  const std::vector<std::string_view>& wanted,
                                  std::vector<yaml::Problem>& problems) {
  const std::string file(file_name);
  if (text.size() > kMaxTextBytes) {
    problems.push_back(
        {file,
         {},
         {},
         fmt::format("found {} bytes, expected at most {}", text.size(), kMaxTextBytes)});
    return std::nullopt;
  }
  const yaml::Lines lines(text);
  if (const auto at = yaml::FindUnprintable(text)) {
    problems.push_back(
        {file, lines.At(*at), {}, "found a byte that is no printable UTF-8, expected JSON text"});
    return std::nullopt;
  }
  const char* reached = text.begin();
  TreeBuilder tree(text, &reached);
  const bool parsed = nlohmann::json::sax_parse(ReadingIterator(text.begin(), &reached),
                                                ReadingIterator(text.end(), &reached), &tree);
  if (!parsed) {
    problems.push_back({file, lines.At(tree.failed_at()), {}, tree.failure()});
    return std::nullopt;
  }
  const std::size_t before = problems.size();
  Sorter sorter(wanted, file_name, lines, problems);
  sorter.Sort(tree.root());
  if (problems.size() > before) return std::nullopt;
  return sorter.Take();
}

}  // namespace roceready::switches
