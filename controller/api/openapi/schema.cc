// SPDX-License-Identifier: Apache-2.0
#include "controller/api/openapi/schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "controller/api/openapi/reachable_types.h"

namespace roceready::openapi {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

constexpr char kDurationPattern[] = "^-?[0-9]+(\\.[0-9]{1,9})?s$";

Json Reference(const std::string& name) {
  return {{"$ref", fmt::format("#/components/schemas/{}", name)}};
}

Json SchemaOfMessageField(const Descriptor& type) {
  const std::string& name = type.full_name();
  if (name == "google.protobuf.Duration") {
    return {{"type", "string"},
            {"pattern", kDurationPattern},
            {"examples", Json::array({"90s", "0.250s"})}};
  }
  if (name == "google.protobuf.Timestamp") return {{"type", "string"}, {"format", "date-time"}};
  if (name == "google.protobuf.FieldMask") {
    return {{"type", "string"}, {"examples", Json::array({"net_devices,kernel.release"})}};
  }
  return Reference(NameOf(type));
}

// Of one value, whether the field has one or many.
Json SchemaOfValue(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return {{"type", "boolean"}};
    case FieldDescriptor::CPPTYPE_INT32:
      return {{"type", "integer"}, {"format", "int32"}};
    case FieldDescriptor::CPPTYPE_UINT32:
      return {{"type", "integer"}, {"format", "uint32"}, {"minimum", 0}, {"maximum", 4294967295}};
    case FieldDescriptor::CPPTYPE_INT64:
      return {{"type", "string"}, {"format", "int64"}, {"pattern", "^-?[0-9]+$"}};
    case FieldDescriptor::CPPTYPE_UINT64:
      return {{"type", "string"}, {"format", "uint64"}, {"pattern", "^[0-9]+$"}};
    case FieldDescriptor::CPPTYPE_FLOAT:
      return {{"type", "number"}, {"format", "float"}};
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return {{"type", "number"}, {"format", "double"}};
    case FieldDescriptor::CPPTYPE_ENUM:
      return Reference(NameOf(*field.enum_type()));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return SchemaOfMessageField(*field.message_type());
    case FieldDescriptor::CPPTYPE_STRING:
      break;
  }
  Json text = {{"type", "string"}};
  if (field.type() == FieldDescriptor::TYPE_BYTES) text["contentEncoding"] = "base64";
  return text;
}

// Such a field is in every answer, with its default where nothing was set.
bool IsAlwaysSent(const FieldDescriptor& field) {
  return field.is_repeated() || !field.has_presence();
}

}  // namespace

template <typename AnyDescriptor>
std::string CommentOf(const AnyDescriptor& descriptor) {
  google::protobuf::SourceLocation location;
  if (!descriptor.GetSourceLocation(&location)) return "";
  std::istringstream lines(location.leading_comments.empty() ? location.trailing_comments
                                                             : location.leading_comments);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) {
      text += "\n\n";
    } else {
      if (!text.empty() && text.back() != '\n') text += ' ';
      text += line.substr(begin);
    }
  }
  return text;
}

template std::string CommentOf(const google::protobuf::MethodDescriptor&);

Json SchemaOf(const FieldDescriptor& field) {
  Json schema;
  if (field.is_map()) {
    schema = {{"type", "object"},
              {"additionalProperties", SchemaOfValue(*field.message_type()->map_value())}};
  } else if (field.is_repeated()) {
    schema = {{"type", "array"}, {"items", SchemaOfValue(field)}};
  } else {
    schema = SchemaOfValue(field);
  }
  if (const std::string comment = CommentOf(field); !comment.empty()) {
    schema["description"] = comment;
  }
  return schema;
}

Json SchemaOf(const Descriptor& message, bool complete) {
  Json schema = {{"type", "object"}};
  if (const std::string comment = CommentOf(message); !comment.empty()) {
    schema["description"] = comment;
  }
  Json properties = Json::object();
  Json required = Json::array();
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    properties[field.name()] = SchemaOf(field);
    if (complete && IsAlwaysSent(field)) required.push_back(field.name());
  }
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Json SchemaOf(const EnumDescriptor& type) {
  Json names = Json::array();
  std::string text = CommentOf(type);
  for (int i = 0; i < type.value_count(); ++i) {
    names.push_back(type.value(i)->name());
    const std::string comment = CommentOf(*type.value(i));
    if (comment.empty()) continue;
    text += fmt::format("{}* `{}`: {}", text.empty() ? "" : "\n", type.value(i)->name(), comment);
  }
  Json schema = {{"type", "string"}};
  if (!text.empty()) schema["description"] = text;
  schema["enum"] = std::move(names);
  return schema;
}

}  // namespace roceready::openapi
