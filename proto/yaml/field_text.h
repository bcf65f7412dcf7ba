// SPDX-License-Identifier: Apache-2.0
// What a field takes, in words, and the bounds its options set.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roceready::yaml {

// Duration and Timestamp are written as one scalar, unlike other messages.
bool IsDuration(const google::protobuf::FieldDescriptor& field);
bool IsTimestamp(const google::protobuf::FieldDescriptor& field);
// A message written as a YAML map.
bool IsMapping(const google::protobuf::FieldDescriptor& field);

// Inclusive bounds of an unsigned number: the option's, else the type's.
struct Bounds {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};
Bounds BoundsOf(const google::protobuf::FieldDescriptor& field);
bool HasRange(const google::protobuf::FieldDescriptor& field);
bool IsRequired(const google::protobuf::FieldDescriptor& field);

// The words of option `words`; empty: any text.
std::vector<std::string> WordsOf(const google::protobuf::FieldDescriptor& field);

// "blocks" for SEVERITY_BLOCKS, "roce-v2" for GID_TYPE_ROCE_V2; "" for number 0.
std::string EnumWord(const google::protobuf::EnumValueDescriptor& value);
std::vector<std::string> EnumWords(const google::protobuf::EnumDescriptor& type);

// "a number from 0 to 63", "dscp or pcp", "a duration such as 90s or 500ms", "a map": one value,
// also of a repeated field.
std::string ExpectedOne(const google::protobuf::FieldDescriptor& field);

// The same for the whole field: "a list, each a number from 0 to 7".
std::string Expected(const google::protobuf::FieldDescriptor& field);

}  // namespace roceready::yaml
