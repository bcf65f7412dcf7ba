// SPDX-License-Identifier: Apache-2.0
#include "controller/drift/fact_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "controller/drift/fact_fields.h"

namespace roceready::drift {
namespace {

using google::protobuf::Reflection;

// Not through the middle of a character.
std::string Shortened(std::string text) {
  if (text.size() <= kLongestValue) return text;
  constexpr std::string_view kMore = "...";
  std::size_t end = kLongestValue - kMore.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  return text += kMore;
}

// A plain value; `index` below zero: of a field that is no list.
std::string ValueText(const Message& message, const FieldDescriptor* field, int index) {
  const Reflection* get = message.GetReflection();
  const bool one = index < 0;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return one ? get->GetString(message, field) : get->GetRepeatedString(message, field, index);
    case FieldDescriptor::CPPTYPE_BOOL:
      return (one ? get->GetBool(message, field) : get->GetRepeatedBool(message, field, index))
                 ? "true"
                 : "false";
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::to_string(one ? get->GetUInt32(message, field)
                                : get->GetRepeatedUInt32(message, field, index));
    case FieldDescriptor::CPPTYPE_UINT64:
      return std::to_string(one ? get->GetUInt64(message, field)
                                : get->GetRepeatedUInt64(message, field, index));
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(one ? get->GetInt32(message, field)
                                : get->GetRepeatedInt32(message, field, index));
    case FieldDescriptor::CPPTYPE_INT64:
      return std::to_string(one ? get->GetInt64(message, field)
                                : get->GetRepeatedInt64(message, field, index));
    case FieldDescriptor::CPPTYPE_ENUM:
      return one ? get->GetEnum(message, field)->name()
                 : get->GetRepeatedEnum(message, field, index)->name();
    default:
      return "?";
  }
}

std::string ListText(const Message& message, const FieldDescriptor* list) {
  std::vector<std::string> values;
  const int size = message.GetReflection()->FieldSize(message, list);
  for (int i = 0; i < size; ++i) values.push_back(ValueText(message, list, i));
  if (IsSet(list)) std::ranges::sort(values);
  return values.empty() ? "none" : fmt::format("{}", fmt::join(values, ","));
}

// The configuration in a message, in one line: both its words and what it is compared by.
std::string MessageText(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  std::string text;
  for (const FieldDescriptor* field : fields) {
    if (!IsConfig(field)) continue;
    if (!text.empty()) text += ' ';
    const Reflection* reflection = message.GetReflection();
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      text += field->name() + "=" +
              (field->is_repeated() ? ListText(message, field) : ValueText(message, field, -1));
    } else if (!field->is_repeated()) {
      text += field->name() + "={" + MessageText(reflection->GetMessage(message, field)) + "}";
    } else {
      std::vector<std::string> rows;
      for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
        rows.push_back("{" + MessageText(reflection->GetRepeatedMessage(message, field, i)) + "}");
      }
      std::ranges::sort(rows);
      text += fmt::format("{}={}", field->name(), fmt::join(rows, ","));
    }
  }
  return text;
}

// The name that people know a row by, where it has one beside its key.
std::string NameOf(const Message& row) {
  const FieldDescriptor* name = row.GetDescriptor()->FindFieldByName("name");
  const bool has = name != nullptr && row.GetDescriptor()->FindFieldByName("id") != nullptr;
  return has ? row.GetReflection()->GetString(row, name) : std::string();
}

// What a row is called when it appears or goes: a device has more values than a line takes.
std::string RowText(const Message& row) {
  std::string name = NameOf(row);
  if (!name.empty()) return name;
  if (row.GetDescriptor()->FindFieldByName("id") != nullptr) return "present";
  return MessageText(row);
}

class Comparison {
 public:
  // `known`: the answer that these messages were in came both times, as far as the messages above
  // can tell.
  void Compare(const Message& before, const Message& after, const std::string& path, bool known) {
    const google::protobuf::Descriptor* type = before.GetDescriptor();
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor* field = type->field(i);
      if (!IsConfig(field)) continue;
      const FieldDescriptor* reading = ReadingOf(field);
      const bool both =
          reading == nullptr ? known : CameIn(before, reading) && CameIn(after, reading);
      const std::string at = path.empty() ? field->name() : path + "." + field->name();
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
        if (both) CompareValue(before, after, field, at);
      } else if (!field->is_repeated()) {
        Compare(before.GetReflection()->GetMessage(before, field),
                after.GetReflection()->GetMessage(after, field), at, both);
      } else {
        CompareRows(before, after, field, at, both);
      }
    }
  }

  FactChanges Take() && { return std::move(found_); }

 private:
  using Rows = std::map<std::string, std::vector<const Message*>>;

  void CompareValue(const Message& before, const Message& after, const FieldDescriptor* field,
                    const std::string& path) {
    std::optional<std::string> from, to;
    if (field->is_repeated()) {
      from = ListText(before, field);
      to = ListText(after, field);
    } else {
      if (Has(before, field)) from = ValueText(before, field, -1);
      if (Has(after, field)) to = ValueText(after, field, -1);
    }
    if (from != to) Add(path, std::move(from), std::move(to));
  }

  static bool Has(const Message& message, const FieldDescriptor* field) {
    return !field->has_presence() || message.GetReflection()->HasField(message, field);
  }

  static Rows RowsOf(const Message& message, const FieldDescriptor* list) {
    Rows rows;
    const Reflection* reflection = message.GetReflection();
    for (int i = 0; i < reflection->FieldSize(message, list); ++i) {
      const Message& row = reflection->GetRepeatedMessage(message, list, i);
      rows[KeyOf(row)].push_back(&row);
    }
    return rows;
  }

  void CompareRows(const Message& before, const Message& after, const FieldDescriptor* list,
                   const std::string& path, bool known) {
    const Rows old_rows = RowsOf(before, list);
    const Rows new_rows = RowsOf(after, list);
    for (const auto& [key, rows] : old_rows) {
      const auto now = new_rows.find(key);
      if (now == new_rows.end()) {
        if (known) CompareUnnamed(rows, {}, path, key);
      } else if (rows.size() == 1 && now->second.size() == 1 && !key.empty()) {
        CompareRow(*rows.front(), *now->second.front(), RowPath(path, key), known);
      } else if (known) {
        CompareUnnamed(rows, now->second, path, key);
      }
    }
    for (const auto& [key, rows] : new_rows) {
      if (known && !old_rows.contains(key)) CompareUnnamed({}, rows, path, key);
    }
  }

  void CompareRow(const Message& before, const Message& after, const std::string& path,
                  bool known) {
    std::string device = NameOf(after);
    if (device.empty()) return Compare(before, after, path, known);
    std::swap(device, device_);
    Compare(before, after, path, known);
    device_ = std::move(device);
  }

  // Rows that one key does not tell apart, or of which one side has none: by all that they say.
  void CompareUnnamed(const std::vector<const Message*>& before,
                      const std::vector<const Message*>& after, const std::string& path,
                      const std::string& key) {
    std::map<std::string, std::pair<int, const Message*>> more;
    for (const Message* row : before) {
      auto& [count, of] = more[MessageText(*row)];
      --count, of = row;
    }
    for (const Message* row : after) {
      auto& [count, of] = more[MessageText(*row)];
      ++count, of = row;
    }
    for (const auto& [text, entry] : more) {
      const auto& [count, row] = entry;
      for (int i = count; i < 0; ++i) Add(RowPath(path, key), RowText(*row), std::nullopt);
      for (int i = count; i > 0; --i) Add(RowPath(path, key), std::nullopt, RowText(*row));
    }
  }

  static std::string RowPath(const std::string& path, const std::string& key) {
    return key.empty() ? path : fmt::format("{}[{}]", path, Shortened(key));
  }

  void Add(std::string path, std::optional<std::string> from, std::optional<std::string> to) {
    if (found_.changes.size() >= kMostChanges) {
      ++found_.left_out;
      return;
    }
    if (from) from = Shortened(*std::move(from));
    if (to) to = Shortened(*std::move(to));
    found_.changes.push_back({std::move(path), device_, std::move(from), std::move(to)});
  }

  std::string device_;
  FactChanges found_;
};

}  // namespace

FactChanges ConfigChanges(const v1::HostFacts& before, const v1::HostFacts& after) {
  Comparison comparison;
  comparison.Compare(before, after, "", true);
  return std::move(comparison).Take();
}

}  // namespace roceready::drift
