// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/fact_parts.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <openssl/sha.h>

#include <unordered_map>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool IsRowKey(const FieldDescriptor* field) {
  return field != nullptr && !field->is_repeated() && !field->has_presence() &&
         (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING ||
          field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32);
}

// The field that names a row of this type, or null where the type is not a row.
const FieldDescriptor* RowKeyOf(const Descriptor* type) {
  for (const char* name : {"id", "number"}) {
    const FieldDescriptor* field = type->FindFieldByName(name);
    if (IsRowKey(field)) return field;
  }
  return nullptr;
}

bool IsRowList(const FieldDescriptor* field) {
  return field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         RowKeyOf(field->message_type()) != nullptr;
}

bool IsGroup(const FieldDescriptor* field) {
  return !field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         field->message_type() != v1::Reading::descriptor();
}

// "NAME/ID" of a row; empty where the row has no id.
std::string RowSegment(const FieldDescriptor* list, const Message& row) {
  const FieldDescriptor* key = RowKeyOf(list->message_type());
  const Reflection* reflection = row.GetReflection();
  const std::string id = key->cpp_type() == FieldDescriptor::CPPTYPE_STRING
                             ? reflection->GetString(row, key)
                             : std::to_string(reflection->GetUInt32(row, key));
  if (id.empty()) return {};
  return list->name() + "/" + EscapedRowId(id);
}

std::string DeterministicBytes(const Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

std::vector<const FieldDescriptor*> FieldsSetIn(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  return fields;
}

// A copy without groups and row lists: what a row says of itself.
std::unique_ptr<Message> PlainValuesOf(const Message& message) {
  std::unique_ptr<Message> plain(message.New());
  plain->CopyFrom(message);
  for (const FieldDescriptor* field : FieldsSetIn(message)) {
    if (IsGroup(field) || IsRowList(field)) plain->GetReflection()->ClearField(plain.get(), field);
  }
  return plain;
}

// Cuts one HostFacts. `frame_` is a HostFacts that holds nothing but the chain of rows, by their
// keys, down to the message being cut; a part is the frame with one thing put in at its tip.
class Splitter {
 public:
  absl::StatusOr<FactParts> Split(const v1::HostFacts& facts) && {
    const std::unique_ptr<Message> plain = PlainValuesOf(facts);
    for (const FieldDescriptor* field : FieldsSetIn(*plain)) {
      frame_.GetReflection()->SwapFields(&frame_, plain.get(), {field});
      RETURN_IF_ERROR(EmitFrame(field->name()));
      frame_.GetReflection()->ClearField(&frame_, field);
    }
    RETURN_IF_ERROR(SplitFieldsOf(facts, &frame_, ""));
    return std::move(parts_);
  }

 private:
  // `prefix` ends in '/', or is empty for the host itself.
  absl::Status SplitFieldsOf(const Message& from, Message* tip, const std::string& prefix) {
    const Reflection* reflection = from.GetReflection();
    for (const FieldDescriptor* field : FieldsSetIn(from)) {
      if (IsGroup(field)) {
        reflection->MutableMessage(tip, field)->CopyFrom(reflection->GetMessage(from, field));
        RETURN_IF_ERROR(EmitFrame(prefix + field->name()));
        reflection->ClearField(tip, field);
      } else if (IsRowList(field)) {
        for (int i = 0; i < reflection->FieldSize(from, field); ++i) {
          RETURN_IF_ERROR(
              SplitRow(field, reflection->GetRepeatedMessage(from, field, i), tip, prefix));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status SplitRow(const FieldDescriptor* list, const Message& row, Message* tip,
                        const std::string& prefix) {
    const std::string segment = RowSegment(list, row);
    if (segment.empty()) return InvalidArgument("{}{}: a row has no id", prefix, list->name());
    const std::string key = prefix + segment;
    const Reflection* reflection = tip->GetReflection();

    reflection->AddMessage(tip, list)->CopyFrom(*PlainValuesOf(row));
    RETURN_IF_ERROR(EmitFrame(key));
    reflection->RemoveLast(tip, list);

    Message* framed = reflection->AddMessage(tip, list);
    CopyRowKey(row, framed);
    RETURN_IF_ERROR(SplitFieldsOf(row, framed, key + "/"));
    reflection->RemoveLast(tip, list);
    return absl::OkStatus();
  }

  static void CopyRowKey(const Message& from, Message* to) {
    const FieldDescriptor* key = RowKeyOf(from.GetDescriptor());
    const Reflection* reflection = from.GetReflection();
    if (key->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      reflection->SetString(to, key, reflection->GetString(from, key));
    } else {
      reflection->SetUInt32(to, key, reflection->GetUInt32(from, key));
    }
  }

  absl::Status EmitFrame(const std::string& key) {
    if (!parts_.emplace(key, MakePart(DeterministicBytes(frame_))).second) {
      return InvalidArgument("{}: two rows have this id", key);
    }
    return absl::OkStatus();
  }

  v1::HostFacts frame_;
  FactParts parts_;
};

// Merges parts into one HostFacts. Rows already there are found by their path, not by a search.
class Assembler {
 public:
  // Takes `from` apart. False where a row has no id.
  bool Merge(Message* from, Message* to, const std::string& path) {
    const Reflection* reflection = from->GetReflection();
    for (const FieldDescriptor* field : FieldsSetIn(*from)) {
      if (!IsRowList(field)) continue;
      for (int i = 0; i < reflection->FieldSize(*from, field); ++i) {
        Message* row = reflection->MutableRepeatedMessage(from, field, i);
        const std::string segment = RowSegment(field, *row);
        if (segment.empty()) return false;
        const std::string row_path = fmt::format("{}/{}", path, segment);
        Message*& known = rows_[row_path];
        if (known == nullptr) known = reflection->AddMessage(to, field);
        if (!Merge(row, known, row_path)) return false;
      }
      reflection->ClearField(from, field);
    }
    to->MergeFrom(*from);
    return true;
  }

 private:
  std::unordered_map<std::string, Message*> rows_;
};

}  // namespace

// Bytewise unambiguous: field names never begin with a digit, so a kept '/' cannot be taken for the
// '/' before one.
std::string EscapedRowId(std::string_view id) {
  std::string text;
  text.reserve(id.size());
  for (size_t i = 0; i < id.size(); ++i) {
    const bool digit_follows = i + 1 < id.size() && id[i + 1] >= '0' && id[i + 1] <= '9';
    if (id[i] == '%') {
      text += "%25";
    } else if (id[i] == '/' && !digit_follows) {
      text += "%2f";
    } else {
      text += id[i];
    }
  }
  return text;
}

std::string Sha256(std::string_view bytes) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

PartBytes MakePart(std::string bytes) {
  std::string digest = Sha256(bytes);
  return {std::move(bytes), std::move(digest)};
}

absl::StatusOr<FactParts> SplitFacts(const v1::HostFacts& facts) { return Splitter().Split(facts); }

absl::Status AssembleFacts(const FactParts& parts, v1::HostFacts* facts) {
  facts->Clear();
  Assembler assembler;
  v1::HostFacts scratch;
  for (const auto& [key, part] : parts) {
    if (!scratch.ParseFromString(part.bytes)) {
      return DataLoss("part {}: {} bytes that are not a HostFacts", key, part.bytes.size());
    }
    if (!assembler.Merge(&scratch, facts, "")) return DataLoss("part {}: a row has no id", key);
  }
  return absl::OkStatus();
}

std::string DigestOfParts(const FactParts& parts) {
  std::string listing;
  for (const auto& [key, part] : parts) {
    for (int shift = 0; shift < 32; shift += 8) {
      listing += static_cast<char>((key.size() >> shift) & 0xff);
    }
    listing += key;
    listing += part.digest;
  }
  return Sha256(listing);
}

PartChanges CompareParts(const FactParts& before, const FactParts& after) {
  PartChanges changes;
  for (const auto& [key, part] : after) {
    const auto old = before.find(key);
    if (old == before.end() || old->second.digest != part.digest) changes.changed.push_back(key);
  }
  for (const auto& [key, part] : before) {
    if (after.find(key) == after.end()) changes.removed.push_back(key);
  }
  return changes;
}

std::string HexOfDigest(std::string_view digest) {
  std::string text;
  for (const char octet : digest) {
    text += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(octet)));
  }
  return text;
}

}  // namespace roceready
