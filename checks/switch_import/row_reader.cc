// SPDX-License-Identifier: Apache-2.0
#include "checks/switch_import/row_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace roceready::switches {
namespace {

template <typename Number>
std::optional<Number> Parsed(std::string_view word) {
  Number number = 0;
  const char* end = word.end();
  const auto [stop, error] = std::from_chars(word.begin(), end, number);
  if (word.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> Parsed(std::string_view word, Bounds bounds) {
  const auto number = Parsed<std::uint64_t>(word);
  if (!number || *number < bounds.min || *number > bounds.max) return std::nullopt;
  return number;
}

const Field* Given(const Row& row, std::string_view field) {
  const auto found = row.fields.find(field);
  return found == row.fields.end() ? nullptr : &found->second;
}

std::string Expected(std::string_view found, Bounds bounds) {
  return fmt::format("found {}, expected a number from {} to {}", yaml::Quote(found), bounds.min,
                     bounds.max);
}

}  // namespace

RowReader::RowReader(std::string_view text, std::string_view file,
                     std::vector<yaml::Problem>& problems)
    : file_(file),
      file_name_(file.substr(file.rfind('/') + 1)),
      lines_(text),
      problems_(problems) {}

void RowReader::Problem(const Row& row, std::size_t at, std::string_view field, std::string text) {
  problems_.push_back(
      {file_, lines_.At(at),
       fmt::format("{}|{}{}{}", row.table, row.key, field.empty() ? "" : "|", field),
       std::move(text)});
}

std::optional<std::string> RowReader::Text(const Row& row, std::string_view field) {
  const Field* given = Given(row, field);
  if (given == nullptr) return std::nullopt;
  if (!given->is_word) {
    Problem(row, given->at, field, "found no text, expected some");
    return std::nullopt;
  }
  if (given->word.empty()) return std::nullopt;
  return given->word;
}

std::optional<std::uint64_t> RowReader::Number(const Row& row, std::string_view field,
                                               Bounds bounds) {
  const auto word = Text(row, field);
  if (!word) return std::nullopt;
  const auto number = Parsed(*word, bounds);
  if (!number) Problem(row, Given(row, field)->at, field, Expected(*word, bounds));
  return number;
}

std::optional<std::int64_t> RowReader::SignedNumber(const Row& row, std::string_view field) {
  const auto word = Text(row, field);
  if (!word) return std::nullopt;
  const auto number = Parsed<std::int64_t>(*word);
  // Of thresholds in powers of two: SONiC allows -8 to 7.
  constexpr std::int64_t kLimit = 64;
  if (number && *number >= -kLimit && *number <= kLimit) return number;
  Problem(row, Given(row, field)->at, field,
          fmt::format("found {}, expected a number from {} to {}", yaml::Quote(*word), -kLimit,
                      kLimit));
  return std::nullopt;
}

std::optional<bool> RowReader::Flag(const Row& row, std::string_view field, std::string_view yes,
                                    std::string_view no) {
  const auto word = OneOf(row, field, {std::string(yes), std::string(no)});
  if (!word) return std::nullopt;
  return *word == yes;
}

std::optional<std::string> RowReader::OneOf(const Row& row, std::string_view field,
                                            const std::vector<std::string>& words) {
  auto word = Text(row, field);
  if (!word) return std::nullopt;
  std::ranges::transform(*word, word->begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::ranges::find(words, *word) != words.end()) return word;
  Problem(row, Given(row, field)->at, field,
          fmt::format("found {}, expected {}", yaml::Quote(*word), yaml::OneOf(words)));
  return std::nullopt;
}

std::optional<std::vector<std::uint32_t>> RowReader::List(const Row& row, std::string_view field,
                                                          Bounds bounds) {
  const Field* given = Given(row, field);
  if (given == nullptr) return std::nullopt;
  std::vector<std::uint32_t> numbers;
  if (given->is_word && given->word.empty()) return numbers;
  for (const std::string_view word : Split(given->word, ',')) {
    const auto number = Parsed(word, bounds);
    if (!number) {
      Problem(row, given->at, field,
              fmt::format("found {}, expected numbers from {} to {} with commas between",
                          yaml::Quote(given->word), bounds.min, bounds.max));
      return std::nullopt;
    }
    numbers.push_back(static_cast<std::uint32_t>(*number));
  }
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  return numbers;
}

std::optional<std::string> RowReader::Reference(const Row& row, std::string_view field,
                                                const std::vector<std::string_view>& tables) {
  auto word = Text(row, field);
  if (!word) return std::nullopt;
  if (!word->starts_with('[')) return word;
  const std::size_t bar = word->find('|');
  if (bar != std::string::npos && word->ends_with(']')) {
    const std::string_view table = std::string_view(*word).substr(1, bar - 1);
    std::string name = word->substr(bar + 1, word->size() - bar - 2);
    if (std::ranges::find(tables, table) != tables.end() && !name.empty()) return name;
  }
  Problem(
      row, Given(row, field)->at, field,
      fmt::format("found {}, expected a name or [{}|NAME]", yaml::Quote(*word), tables.front()));
  return std::nullopt;
}

std::vector<std::uint32_t> RowReader::Range(const Row& row, std::string_view words,
                                            std::uint32_t max) {
  const std::size_t dash = words.find('-');
  const Bounds bounds{0, max};
  const auto first = Parsed(words.substr(0, dash), bounds);
  const auto last = dash == std::string_view::npos ? first : Parsed(words.substr(dash + 1), bounds);
  std::vector<std::uint32_t> numbers;
  if (!first || !last || *last < *first) {
    Problem(row, row.at, {},
            fmt::format("found {}, expected a number from 0 to {}, or two with a dash between",
                        yaml::Quote(words), max));
    return numbers;
  }
  for (std::uint64_t number = *first; number <= *last; ++number) {
    numbers.push_back(static_cast<std::uint32_t>(number));
  }
  return numbers;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> RowReader::Entries(const Row& row,
                                                                        std::uint32_t max_from,
                                                                        std::uint32_t max_to) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  for (const auto& [name, field] : row.fields) {
    const auto from = Parsed(name, {0, max_from});
    const auto to = Parsed(field.word, {0, max_to});
    if (from && to) {
      entries.emplace_back(static_cast<std::uint32_t>(*from), static_cast<std::uint32_t>(*to));
    } else {
      Problem(row, field.at, name,
              fmt::format("found {}: {}, expected a number from 0 to {} and one from 0 to {}",
                          yaml::Quote(name), yaml::Quote(field.word), max_from, max_to));
    }
  }
  std::ranges::sort(entries);
  return entries;
}

v1::Reading RowReader::ReadingAt(std::size_t at, const std::string& what) const {
  const yaml::Position place = lines_.At(at);
  v1::Reading reading;
  reading.set_outcome(v1::OUTCOME_OK);
  reading.set_source(v1::SOURCE_SWITCH_CONFIG);
  reading.set_locator(fmt::format("{}:{}:{} {}", file_name_, place.line, place.column, what));
  return reading;
}

v1::Reading RowReader::ReadingOf(const Row& row) const {
  return ReadingAt(row.at, row.table + "|" + row.key);
}

v1::Reading RowReader::ReadingOf(const Row& row, std::string_view field) const {
  const Field* given = Given(row, field);
  return ReadingAt(given == nullptr ? row.at : given->at,
                   fmt::format("{}|{}|{}", row.table, row.key, field));
}

v1::Reading RowReader::Absent(std::string_view what, std::string_view detail) const {
  v1::Reading reading;
  reading.set_outcome(v1::OUTCOME_ABSENT);
  reading.set_source(v1::SOURCE_SWITCH_CONFIG);
  reading.set_locator(fmt::format("{} {}", file_name_, what));
  reading.set_detail(std::string(detail));
  return reading;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace roceready::switches
