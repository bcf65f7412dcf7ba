// SPDX-License-Identifier: Apache-2.0
#include "controller/drift/last_known.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "controller/drift/fact_fields.h"

namespace roceready::drift {
namespace {

using google::protobuf::Reflection;

void CopyField(const Message& from, const FieldDescriptor* field, Message* to) {
  const std::unique_ptr<Message> copy(from.New());
  copy->CopyFrom(from);
  to->GetReflection()->SwapFields(to, copy.get(), {field});
}

class Keeping {
 public:
  // `lost`: the message above was known before and is not now.
  void Keep(const Message& before, Message* after, bool lost) {
    const google::protobuf::Descriptor* type = before.GetDescriptor();
    // Looked at first: keeping a value makes its reading a good one.
    std::vector<std::pair<const FieldDescriptor*, bool>> fields;
    std::set<const FieldDescriptor*> lost_readings;
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor* field = type->field(i);
      if (!IsConfig(field)) continue;
      const FieldDescriptor* reading = ReadingOf(field);
      const bool field_lost =
          reading == nullptr ? lost : CameIn(before, reading) && !CameIn(*after, reading);
      fields.emplace_back(field, field_lost);
      if (reading != nullptr && field_lost) lost_readings.insert(reading);
    }
    for (const auto& [field, field_lost] : fields) KeepField(before, after, field, field_lost);
    for (const FieldDescriptor* reading : lost_readings) CopyField(before, reading, after);
    any_ |= !lost_readings.empty();
  }

  bool any() const { return any_; }

 private:
  void KeepField(const Message& before, Message* after, const FieldDescriptor* field, bool lost) {
    const Reflection* reflection = before.GetReflection();
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      if (lost) CopyField(before, field, after);
    } else if (field->is_repeated()) {
      KeepRows(before, after, field, lost);
    } else if (reflection->HasField(before, field)) {
      Keep(reflection->GetMessage(before, field), reflection->MutableMessage(after, field), lost);
    }
  }

  void KeepRows(const Message& before, Message* after, const FieldDescriptor* list, bool lost) {
    const Reflection* reflection = before.GetReflection();
    std::map<std::string, Message*> known;
    for (int i = 0; i < reflection->FieldSize(*after, list); ++i) {
      Message* row = reflection->MutableRepeatedMessage(after, list, i);
      known[KeyOf(*row)] = row;
    }
    for (int i = 0; i < reflection->FieldSize(before, list); ++i) {
      const Message& row = reflection->GetRepeatedMessage(before, list, i);
      const auto now = known.find(KeyOf(row));
      if (now != known.end()) {
        Keep(row, now->second, lost);
      } else if (lost) {
        reflection->AddMessage(after, list)->CopyFrom(row);
      }
    }
  }

  bool any_ = false;
};

}  // namespace

bool KeepLastKnown(const v1::HostFacts& before, v1::HostFacts* after) {
  Keeping keeping;
  keeping.Keep(before, after, false);
  return keeping.any();
}

}  // namespace roceready::drift
