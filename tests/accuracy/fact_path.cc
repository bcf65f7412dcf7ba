// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/fact_path.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>

#include "proto/yaml/field_text.h"
#include "proto/yaml/scalar.h"

namespace roceready::accuracy {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// What rows are called by, in the order in which it is tried.
constexpr std::string_view kKeyFields[] = {"id",       "name",      "number",  "index",
                                           "owner_id", "host",      "address", "destination",
                                           "queue",    "device_id", "kind"};

struct Step {
  std::string_view field;
  // Empty where the step names no row.
  std::string_view row;
  // Where in the path it begins.
  size_t offset = 0;
};

// Empty for a path that is not closed or has an empty step.
std::vector<Step> StepsOf(std::string_view path) {
  std::vector<Step> steps;
  size_t at = 0;
  while (at < path.size()) {
    const size_t end = std::min(path.find_first_of(".[", at), path.size());
    Step step{.field = path.substr(at, end - at), .row = {}, .offset = at};
    at = end;
    if (at < path.size() && path[at] == '[') {
      const size_t close = path.find(']', at);
      if (close == std::string_view::npos || close == at + 1) return {};
      step.row = path.substr(at + 1, close - at - 1);
      at = close + 1;
    }
    if (step.field.empty()) return {};
    steps.push_back(step);
    if (at < path.size() && (path[at] != '.' || ++at == path.size())) return {};
  }
  return steps;
}

// A scalar as a path writes it; empty for what has no short form.
std::string TextOf(const Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.GetString(message, &field);
    case FieldDescriptor::CPPTYPE_ENUM:
      return yaml::EnumWord(*reflection.GetEnum(message, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return fmt::format("{}", reflection.GetUInt32(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return fmt::format("{}", reflection.GetUInt64(message, &field));
    case FieldDescriptor::CPPTYPE_INT32:
      return fmt::format("{}", reflection.GetInt32(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, &field) ? "true" : "false";
    default:
      return "";
  }
}

std::vector<std::string> KeysOf(const Message& row) {
  std::vector<std::string> keys;
  for (const std::string_view name : kKeyFields) {
    const FieldDescriptor* field = row.GetDescriptor()->FindFieldByName(std::string(name));
    if (field == nullptr || field->is_repeated()) continue;
    const std::string text = TextOf(row, *field);
    if (!text.empty()) keys.push_back(text);
  }
  return keys;
}

class Walk {
 public:
  Walk(const yaml::Node& path, std::string_view file, bool make,
       const std::function<void(const Place&)>& visit)
      : path_(path), file_(file), make_(make), visit_(visit) {}

  std::vector<yaml::Problem> Over(Message& root) {
    const std::vector<Step> steps = StepsOf(path_.text);
    if (steps.empty()) {
      Fail(0, "found no path, expected one such as net_devices[ens1np0].mtu.mtu_bytes");
    } else {
      Into(root, steps);
    }
    // Of many rows some may lack what the others have.
    if (found_ > 0) return {};
    return {problems_.begin(), problems_.begin() + std::min<ptrdiff_t>(1, std::ssize(problems_))};
  }

 private:
  void Fail(size_t offset, std::string text) {
    yaml::Position at = path_.at;
    at.column += static_cast<int>(offset) + (path_.quoted ? 1 : 0);
    problems_.push_back({std::string(file_), at, path_.text, std::move(text)});
  }

  void Into(Message& message, std::span<const Step> steps) {
    const Step& step = steps.front();
    const Descriptor& type = *message.GetDescriptor();
    const FieldDescriptor* field = type.FindFieldByName(std::string(step.field));
    if (field == nullptr) return FailField(step, type);
    const bool is_last = steps.size() == 1;
    if (!step.row.empty()) return IntoRows(message, *field, steps);
    if (is_last) {
      const auto& reflection = *message.GetReflection();
      if (!make_ && (field->is_repeated() ? reflection.FieldSize(message, field) == 0
                                          : !reflection.HasField(message, field))) {
        return Fail(step.offset, fmt::format("found nothing in {}", yaml::Quote(step.field)));
      }
      ++found_;
      return visit_({message, *field});
    }
    if (field->message_type() == nullptr) {
      return Fail(step.offset, fmt::format("{} is a value and has no fields", step.field));
    }
    if (field->is_repeated()) {
      return Fail(step.offset,
                  fmt::format("{0} is a list: name a row, as {0}[#0] or {0}[*]", step.field));
    }
    if (!make_ && !message.GetReflection()->HasField(message, field)) {
      return Fail(step.offset, fmt::format("found nothing in {}", yaml::Quote(step.field)));
    }
    Into(*message.GetReflection()->MutableMessage(&message, field), steps.subspan(1));
  }

  void FailField(const Step& step, const Descriptor& type) {
    std::vector<std::string> known;
    for (int i = 0; i < type.field_count(); ++i) known.push_back(type.field(i)->name());
    const std::string hint = yaml::DidYouMean(step.field, known);
    Fail(step.offset, fmt::format("{} has no field {}{}", type.name(), yaml::Quote(step.field),
                                  hint.empty() ? ", expected " + yaml::OneOf(known) : hint));
  }

  void IntoRows(Message& message, const FieldDescriptor& field, std::span<const Step> steps) {
    const Step& step = steps.front();
    if (!field.is_repeated() || field.message_type() == nullptr || field.is_map()) {
      return Fail(step.offset, fmt::format("{} has no rows to choose from", step.field));
    }
    const auto& reflection = *message.GetReflection();
    std::vector<int> rows;
    if (step.row == "+") {
      if (!make_) return Fail(step.offset, "[+] makes a row, and here nothing is made");
      rows.push_back(reflection.FieldSize(message, &field));
      reflection.AddMessage(&message, &field);
    } else {
      rows = RowsOf(message, field, step);
    }
    // From behind: what is deleted moves only what comes after it.
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      if (steps.size() > 1) {
        Into(*reflection.MutableRepeatedMessage(&message, &field, *row), steps.subspan(1));
      } else {
        ++found_;
        visit_({message, field, *row});
      }
    }
  }

  std::vector<int> RowsOf(const Message& message, const FieldDescriptor& field, const Step& step) {
    std::vector<int> rows;
    std::vector<std::string> known;
    const int count = message.GetReflection()->FieldSize(message, &field);
    for (int i = 0; i < count; ++i) {
      const Message& row = message.GetReflection()->GetRepeatedMessage(message, &field, i);
      const std::vector<std::string> keys = KeysOf(row);
      if (IsChosen(row, keys, i, step.row)) rows.push_back(i);
      known.insert(known.end(), keys.begin(), keys.end());
    }
    if (rows.empty()) {
      const std::string hint = yaml::DidYouMean(step.row, known);
      Fail(step.offset + step.field.size() + 1,
           fmt::format("{} has no row {}{}", step.field, yaml::Quote(step.row),
                       !hint.empty() || known.empty() ? hint : ", expected " + yaml::OneOf(known)));
    }
    return rows;
  }

  static bool IsChosen(const Message& row, const std::vector<std::string>& keys, int index,
                       std::string_view choice) {
    if (choice == "*") return true;
    if (choice.starts_with('#')) return yaml::ParseUnsigned(choice.substr(1)) == index;
    if (std::ranges::find(keys, choice) != keys.end()) return true;
    const size_t equals = choice.find('=');
    if (equals == std::string_view::npos) return false;
    const FieldDescriptor* field =
        row.GetDescriptor()->FindFieldByName(std::string(choice.substr(0, equals)));
    return field != nullptr && !field->is_repeated() &&
           TextOf(row, *field) == choice.substr(equals + 1);
  }

  const yaml::Node& path_;
  const std::string_view file_;
  const bool make_;
  const std::function<void(const Place&)>& visit_;
  int found_ = 0;
  std::vector<yaml::Problem> problems_;
};

}  // namespace

std::vector<yaml::Problem> VisitPlaces(const yaml::Node& path, std::string_view file, bool make,
                                       Message& root,
                                       const std::function<void(const Place&)>& visit) {
  return Walk(path, file, make, visit).Over(root);
}

}  // namespace roceready::accuracy
