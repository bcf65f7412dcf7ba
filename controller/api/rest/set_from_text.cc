// SPDX-License-Identifier: Apache-2.0
// One query parameter or path variable into a request message.
#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "controller/api/rest/transcoder.h"
#include "proto/contract/errors.h"
#include "proto/yaml/utf8.h"

namespace roceready::rest {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

template <typename Number>
std::optional<Number> ParseNumber(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "CheckStatus: CHECK_STATUS_PASS, CHECK_STATUS_FAIL"; zero stands for nothing in particular.
std::string NamesOf(const google::protobuf::EnumDescriptor* type) {
  std::vector<std::string> names;
  for (int i = 0; i < type->value_count(); ++i) {
    if (type->value(i)->number() != 0) names.push_back(type->value(i)->name());
  }
  return fmt::format("{}: {}", type->name(), fmt::join(names, ", "));
}

// Calls Set<Type> or Add<Type>, whichever the field wants.
template <typename Value, typename Set, typename Add>
absl::Status Store(Message& message, const FieldDescriptor* field,
                   const std::optional<Value>& value, Set set, Add add, const std::string& text) {
  if (!value) {
    return InvalidArgument(
        "parameter {}: \"{}\" is not a {}", std::string(field->name()), text,
        field->enum_type() != nullptr ? NamesOf(field->enum_type()) : field->type_name());
  }
  const google::protobuf::Reflection* reflection = message.GetReflection();
  if (field->is_repeated()) {
    (reflection->*add)(&message, field, *value);
  } else {
    (reflection->*set)(&message, field, *value);
  }
  return absl::OkStatus();
}

std::optional<bool> ParseBool(const std::string& text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

std::optional<int> ParseEnum(const FieldDescriptor* field, const std::string& text) {
  if (const auto* value = field->enum_type()->FindValueByName(text)) return value->number();
  const std::optional<int> number = ParseNumber<int>(text);
  if (number && field->enum_type()->FindValueByNumber(*number) != nullptr) return number;
  return std::nullopt;
}

absl::Status StoreMessage(Message& message, const FieldDescriptor* field, const std::string& text) {
  const std::string& type = field->message_type()->full_name();
  if (type != "google.protobuf.Duration" && type != "google.protobuf.Timestamp" &&
      type != "google.protobuf.FieldMask") {
    return InvalidArgument("parameter {} is a message; name a field of it ({}.FIELD=...)",
                           field->name(), field->name());
  }
  if (text.find_first_of("\"\\\n") != std::string::npos) {
    return InvalidArgument("parameter {}: \"{}\" is not a {}", field->name(), text, type);
  }
  Message* target = message.GetReflection()->MutableMessage(&message, field);
  const auto status = google::protobuf::util::JsonStringToMessage("\"" + text + "\"", target);
  if (!status.ok()) {
    return InvalidArgument("parameter {}: \"{}\" is not a {}", field->name(), text, type);
  }
  return absl::OkStatus();
}

absl::Status StoreScalar(Message& message, const FieldDescriptor* field, const std::string& text) {
  using google::protobuf::Reflection;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      if (const auto at = yaml::FindUnprintable(text)) {
        return InvalidArgument("parameter {}: byte {} of it is not printable UTF-8 text",
                               field->name(), *at + 1);
      }
      return Store<std::string>(message, field, text, &Reflection::SetString,
                                &Reflection::AddString, text);
    case FieldDescriptor::CPPTYPE_BOOL:
      return Store<bool>(message, field, ParseBool(text), &Reflection::SetBool,
                         &Reflection::AddBool, text);
    case FieldDescriptor::CPPTYPE_UINT32:
      return Store<uint32_t>(message, field, ParseNumber<uint32_t>(text), &Reflection::SetUInt32,
                             &Reflection::AddUInt32, text);
    case FieldDescriptor::CPPTYPE_UINT64:
      return Store<uint64_t>(message, field, ParseNumber<uint64_t>(text), &Reflection::SetUInt64,
                             &Reflection::AddUInt64, text);
    case FieldDescriptor::CPPTYPE_INT32:
      return Store<int32_t>(message, field, ParseNumber<int32_t>(text), &Reflection::SetInt32,
                            &Reflection::AddInt32, text);
    case FieldDescriptor::CPPTYPE_INT64:
      return Store<int64_t>(message, field, ParseNumber<int64_t>(text), &Reflection::SetInt64,
                            &Reflection::AddInt64, text);
    case FieldDescriptor::CPPTYPE_ENUM:
      return Store<int>(message, field, ParseEnum(field, text), &Reflection::SetEnumValue,
                        &Reflection::AddEnumValue, text);
    default:
      return InvalidArgument("parameter {} cannot be given in the query", field->name());
  }
}

}  // namespace

absl::Status SetFromText(Message& message, std::string_view path, const std::string& text) {
  const size_t dot = path.find('.');
  const std::string name(path.substr(0, dot));
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  if (field == nullptr) field = message.GetDescriptor()->FindFieldByCamelcaseName(name);
  if (field == nullptr) {
    std::vector<std::string> known;
    known.reserve(static_cast<size_t>(message.GetDescriptor()->field_count()));
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      known.push_back(message.GetDescriptor()->field(i)->name());
    }
    return InvalidArgument("unknown parameter \"{}\" of {}; there are: {}", name,
                           message.GetDescriptor()->name(), fmt::join(known, ", "));
  }
  const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  if (dot != std::string_view::npos) {
    if (!is_message || field->is_repeated()) {
      return InvalidArgument("parameter \"{}\": {} has no fields that a query can set", path, name);
    }
    return SetFromText(*message.GetReflection()->MutableMessage(&message, field),
                       path.substr(dot + 1), text);
  }
  if (is_message) {
    if (field->is_repeated()) {
      return InvalidArgument("parameter {} cannot be given in the query", field->name());
    }
    return StoreMessage(message, field, text);
  }
  return StoreScalar(message, field, text);
}

}  // namespace roceready::rest
