// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/fragment.h"

#include <google/protobuf/message.h>

#include <vector>

namespace roceready::facts {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

const FieldDescriptor* RowKeyOf(const FieldDescriptor* field) {
  if (!field->is_repeated() || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    return nullptr;
  }
  for (const char* name : {"id", "number"}) {
    const FieldDescriptor* key = field->message_type()->FindFieldByName(name);
    if (key != nullptr && !key->has_presence()) return key;
  }
  return nullptr;
}

bool SameKey(const FieldDescriptor* key, const Message& a, const Message& b) {
  const Reflection* reflection = a.GetReflection();
  if (key->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    return reflection->GetString(a, key) == reflection->GetString(b, key);
  }
  return reflection->GetUInt32(a, key) == reflection->GetUInt32(b, key);
}

Message* FindOrAddRow(const FieldDescriptor* list, const FieldDescriptor* key, const Message& row,
                      Message* to) {
  const Reflection* reflection = to->GetReflection();
  for (int i = 0; i < reflection->FieldSize(*to, list); ++i) {
    Message* candidate = reflection->MutableRepeatedMessage(to, list, i);
    if (SameKey(key, *candidate, row)) return candidate;
  }
  return reflection->AddMessage(to, list);
}

void Put(const Message& from, Message* to) {
  const Reflection* reflection = from.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(from, &fields);
  std::vector<const FieldDescriptor*> whole;
  for (const FieldDescriptor* field : fields) {
    const FieldDescriptor* key = RowKeyOf(field);
    if (key == nullptr) {
      whole.push_back(field);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(from, field); ++i) {
      const Message& row = reflection->GetRepeatedMessage(from, field, i);
      Put(row, FindOrAddRow(field, key, row, to));
    }
  }
  // Groups and plain values of any type: swapped out of a copy.
  const std::unique_ptr<Message> copy(from.New());
  copy->CopyFrom(from);
  reflection->SwapFields(to, copy.get(), whole);
}

}  // namespace

void PutFacts(const v1::HostFacts& part, v1::HostFacts* facts) { Put(part, facts); }

}  // namespace roceready::facts
