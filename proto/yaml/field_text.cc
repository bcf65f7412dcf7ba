// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/field_text.h"

#include <fmt/core.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <roceready/v1/policy.pb.h>

#include <algorithm>
#include <limits>

#include "proto/yaml/problem.h"

namespace roceready::yaml {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// "OnUnknown" -> "ON_UNKNOWN_", the prefix that the Buf style guide gives to an enum's values.
std::string ValuePrefix(std::string_view type_name) {
  std::string prefix;
  for (const char c : type_name) {
    if (IsUpper(c) && !prefix.empty()) prefix += '_';
    prefix += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return prefix + '_';
}

// Milliseconds as a duration is written.
std::string WriteMilliseconds(std::uint64_t milliseconds) {
  if (milliseconds % 1000 != 0) return fmt::format("{}ms", milliseconds);
  return fmt::format("{}s", milliseconds / 1000);
}

bool IsMessageOf(const FieldDescriptor& field, const google::protobuf::Descriptor& type) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         field.message_type()->full_name() == type.full_name();
}

}  // namespace

bool IsDuration(const FieldDescriptor& field) {
  return IsMessageOf(field, *google::protobuf::Duration::descriptor());
}

bool IsTimestamp(const FieldDescriptor& field) {
  return IsMessageOf(field, *google::protobuf::Timestamp::descriptor());
}

bool IsMapping(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !IsDuration(field) &&
         !IsTimestamp(field);
}

bool HasRange(const FieldDescriptor& field) { return field.options().HasExtension(v1::range); }

Bounds BoundsOf(const FieldDescriptor& field) {
  if (HasRange(field)) {
    const v1::NumberRange& range = field.options().GetExtension(v1::range);
    return {range.min(), range.max()};
  }
  const bool is_32_bit = field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32;
  return {0, is_32_bit ? std::numeric_limits<std::uint32_t>::max()
                       : std::numeric_limits<std::uint64_t>::max()};
}

bool IsRequired(const FieldDescriptor& field) { return field.options().GetExtension(v1::required); }

std::vector<std::string> WordsOf(const FieldDescriptor& field) {
  std::vector<std::string> words;
  std::string_view rest = field.options().GetExtension(v1::words);
  while (!rest.empty()) {
    const std::size_t bar = rest.find('|');
    words.emplace_back(rest.substr(0, bar));
    rest = bar == std::string_view::npos ? "" : rest.substr(bar + 1);
  }
  return words;
}

std::string EnumWord(const EnumValueDescriptor& value) {
  if (value.number() == 0) return "";
  const std::string prefix = ValuePrefix(value.type()->name());
  std::string word = value.name();
  if (word.compare(0, prefix.size(), prefix) == 0) word.erase(0, prefix.size());
  for (char& c : word) {
    if (c == '_') c = '-';
    if (IsUpper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return word;
}

std::vector<std::string> EnumWords(const EnumDescriptor& type) {
  std::vector<std::string> words;
  for (int i = 0; i < type.value_count(); ++i) {
    std::string word = EnumWord(*type.value(i));
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

std::string ExpectedOne(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64: {
      const Bounds bounds = BoundsOf(field);
      return fmt::format("a number from {} to {}", bounds.min, bounds.max);
    }
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
      return "a whole number";
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return "a number";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "true or false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return OneOf(EnumWords(*field.enum_type()));
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::vector<std::string> words = WordsOf(field);
      return words.empty() ? "text" : OneOf(words);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;
  }
  if (IsTimestamp(field)) return "a date such as 2026-12-15, or a time in RFC 3339 with its zone";
  if (!IsDuration(field)) return "a map";
  if (!HasRange(field)) return "a duration such as 90s or 500ms";
  const Bounds bounds = BoundsOf(field);
  return fmt::format("a duration from {} to {}", WriteMilliseconds(bounds.min),
                     WriteMilliseconds(bounds.max));
}

std::string Expected(const FieldDescriptor& field) {
  if (field.is_map()) return "a map";
  if (field.is_repeated()) return "a list, each " + ExpectedOne(field);
  return ExpectedOne(field);
}

}  // namespace roceready::yaml
