// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/edit.h"

#include <fmt/core.h>

#include "proto/yaml/decode.h"
#include "proto/yaml/field_text.h"
#include "tests/accuracy/fact_path.h"

namespace roceready::accuracy {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using yaml::Node;

void Set(const Place& place, const Change& change, yaml::Decoded& decoded) {
  const auto& reflection = *place.parent.GetReflection();
  if (place.row < 0) {
    reflection.ClearField(&place.parent, &place.field);
    yaml::DecodeField(change.value, change.path.text, place.parent, place.field, decoded);
    return;
  }
  Message& row = *reflection.MutableRepeatedMessage(&place.parent, &place.field, place.row);
  row.Clear();
  yaml::DecodeMessage(change.value, change.path.text, row, decoded);
}

void Delete(const Place& place) {
  const auto& reflection = *place.parent.GetReflection();
  if (place.row < 0) return reflection.ClearField(&place.parent, &place.field);
  for (int i = place.row + 1; i < reflection.FieldSize(place.parent, &place.field); ++i) {
    reflection.SwapElements(&place.parent, &place.field, i - 1, i);
  }
  reflection.RemoveLast(&place.parent, &place.field);
}

// Row keys stay; the outcome goes into the group's own reading, whose source stays.
void Unread(const Place& place, const Change& change, yaml::Decoded& decoded) {
  const auto& reflection = *place.parent.GetReflection();
  if (place.field.message_type() == nullptr || (place.field.is_repeated() && place.row < 0)) {
    decoded.problems.push_back({decoded.sources.file(), change.path.at, change.path.text,
                                "has no Reading of its own, expected a group or a row"});
    return;
  }
  Message& group = place.row < 0
                       ? *reflection.MutableMessage(&place.parent, &place.field)
                       : *reflection.MutableRepeatedMessage(&place.parent, &place.field, place.row);
  const bool is_reading = group.GetDescriptor()->name() == "Reading";
  const FieldDescriptor* reading = group.GetDescriptor()->FindFieldByName("reading");
  if (reading == nullptr && !is_reading) {
    decoded.problems.push_back({decoded.sources.file(), change.path.at, change.path.text,
                                group.GetDescriptor()->name() + " has no Reading of its own"});
    return;
  }
  for (int i = 0; !is_reading && i < group.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = group.GetDescriptor()->field(i);
    const bool is_key = !field->is_repeated() && !field->has_presence();
    if (field != reading && !is_key) group.GetReflection()->ClearField(&group, field);
  }
  Message& answer = is_reading ? group : *group.GetReflection()->MutableMessage(&group, reading);
  const FieldDescriptor* outcome = answer.GetDescriptor()->FindFieldByName("outcome");
  yaml::DecodeField(change.value, change.path.text, answer, *outcome, decoded);
}

}  // namespace

void ReadChanges(Change::Kind kind, const Node& node, std::string_view file, Changes& changes,
                 std::vector<yaml::Problem>& problems) {
  const bool is_list = kind == Change::Kind::kDelete;
  if (node.kind != (is_list ? Node::Kind::kList : Node::Kind::kMap)) {
    problems.push_back(
        {std::string(file), node.at, "",
         is_list ? "expected a list of paths" : "expected a map of paths and values"});
    return;
  }
  const std::vector<Node>& paths = is_list ? node.items : node.keys;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].kind != Node::Kind::kScalar) {
      problems.push_back({std::string(file), paths[i].at, "", "expected a path"});
      continue;
    }
    changes.push_back({.kind = kind, .path = paths[i], .value = is_list ? Node() : node.items[i]});
  }
}

std::vector<yaml::Problem> Apply(const Changes& changes, std::string_view file, Message& root,
                                 yaml::SourceMap* sources) {
  yaml::Decoded decoded;
  if (sources != nullptr) decoded.sources = *sources;
  for (const Change& change : changes) {
    const bool make = change.kind != Change::Kind::kDelete;
    const auto problems = VisitPlaces(change.path, file, make, root, [&](const Place& place) {
      switch (change.kind) {
        case Change::Kind::kSet:
          return Set(place, change, decoded);
        case Change::Kind::kDelete:
          return Delete(place);
        case Change::Kind::kUnread:
          return Unread(place, change, decoded);
      }
    });
    decoded.problems.insert(decoded.problems.end(), problems.begin(), problems.end());
  }
  for (yaml::Problem& problem : decoded.problems) problem.file = file;
  if (sources != nullptr) *sources = std::move(decoded.sources);
  return decoded.problems;
}

}  // namespace roceready::accuracy
