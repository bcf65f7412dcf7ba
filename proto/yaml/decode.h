// SPDX-License-Identifier: Apache-2.0
// Strict YAML to any protobuf message, driven by its descriptor alone.
//
//   message field   a map; its keys are the field names as the proto file spells them
//   repeated field  a list, also of one element
//   map field       a map
//   enum            the value's name without the enum's own, lower case: SEVERITY_BLOCKS is blocks
//   Duration        90s, 500ms (scalar.h)     Timestamp   RFC 3339 or a date
//   bool            true or false             number      26, 0x1a
//   string          any scalar, as written: 28.10 stays 28.10
//
// Field options (policy.proto) bound it further: `range`, `words`, `required`. Unknown and
// duplicate keys, wrong types and empty values are errors. All errors are found in one pass. An
// unspecified enum value (number 0) cannot be written.
#pragma once

#include <absl/status/status.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proto/yaml/problem.h"
#include "proto/yaml/tree.h"

namespace roceready::yaml {

// Where in the file each value stands, by its path: "intent.roce_dscp", "checks[0].severity",
// "inventory[1].labels.rack".
class SourceMap {
 public:
  SourceMap() = default;
  explicit SourceMap(std::string file) : file_(std::move(file)) {}

  void Add(std::string path, Position at) { positions_.emplace(std::move(path), at); }

  const std::string& file() const { return file_; }
  // Whether the file gives this value.
  bool Has(std::string_view path) const { return positions_.find(path) != positions_.end(); }
  // Of the value, else of the nearest thing around it that the file gives, else 0:0.
  Position At(std::string_view path) const;
  // "lossless.yaml:14", or "" where the file does not give the value.
  std::string Line(std::string_view path) const;
  // A problem with the value at `path`.
  Problem MakeProblem(std::string path, std::string text) const;

 private:
  std::string file_;
  std::map<std::string, Position, std::less<>> positions_;
};

struct Decoded {
  SourceMap sources;
  // In the order of the file. Empty: the message is complete.
  std::vector<Problem> problems;

  bool ok() const { return problems.empty(); }
  absl::Status status() const { return ToStatus(problems); }
};

// Fills `message`, which the caller gives empty. With problems it holds what could be understood,
// for nothing but further validation. `file_name` is only written into positions.
Decoded Decode(std::string_view text, std::string_view file_name,
               google::protobuf::Message& message);

// The same for parts of a tree that something else has read; problems are added to `decoded`.
// Fills one field: a list's elements come behind those that the field has. `path` is the field's.
void DecodeField(const Node& node, const std::string& path, google::protobuf::Message& message,
                 const google::protobuf::FieldDescriptor& field, Decoded& decoded);
// Fills a message from a map.
void DecodeMessage(const Node& node, const std::string& path, google::protobuf::Message& message,
                   Decoded& decoded);

}  // namespace roceready::yaml
