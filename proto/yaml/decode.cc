// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/decode.h"

#include <fmt/core.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "proto/yaml/field_text.h"
#include "proto/yaml/scalar.h"
#include "proto/yaml/tree.h"

namespace roceready::yaml {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// A file with more is not a slip of the pen.
constexpr std::size_t kMaxProblems = 100;

bool LooksLikeNumber(std::string_view text) {
  return ParseSigned(text).has_value() || ParseDouble(text).has_value();
}

std::string Found(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNothing:
      return "nothing";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a map";
    case Node::Kind::kScalar:
      break;
  }
  if (node.quoted) return "the text " + Quote(node.text);
  if (node.text.size() <= 40 && LooksLikeNumber(node.text)) return node.text;
  return Quote(node.text);
}

std::string Join(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

// Where one decoded value goes: a singular field, or one more element of a repeated one.
struct Target {
  Message& message;
  const FieldDescriptor& field;

  template <typename Number, typename Set, typename Add>
  void Put(Number value, Set set, Add add) const {
    const auto& reflection = *message.GetReflection();
    (reflection.*(field.is_repeated() ? add : set))(&message, &field, value);
  }
  Message& NewMessage() const {
    const auto& reflection = *message.GetReflection();
    return field.is_repeated() ? *reflection.AddMessage(&message, &field)
                               : *reflection.MutableMessage(&message, &field);
  }
};

class Decoder {
 public:
  explicit Decoder(Decoded& out) : out_(out) {}

  void DecodeMap(const Node& node, const std::string& path, Message& message) {
    const Descriptor& type = *message.GetDescriptor();
    std::map<std::string_view, const Node*> seen;
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      const Node& key = node.keys[i];
      if (!IsNewKey(key, path, seen)) continue;
      const FieldDescriptor* field = type.FindFieldByName(key.text);
      if (field == nullptr) {
        Fail(key, path, "found the unknown key " + Quote(key.text) + KnownKeys(key.text, type));
        continue;
      }
      DecodeField(node.items[i], Join(path, key.text), {message, *field});
    }
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      if (IsRequired(field) && seen.find(field.name()) == seen.end()) {
        Fail(node, Join(path, field.name()),
             "found nothing, expected " + Expected(field) + ": this key is required");
      }
    }
  }

  void DecodeField(const Node& node, const std::string& path, Message& message,
                   const FieldDescriptor& field) {
    DecodeField(node, path, Target{message, field});
  }

  void FailExpected(const Node& node, const std::string& path, const std::string& expected) {
    Fail(node, path, "found " + Found(node) + ", expected " + expected);
  }

 private:
  void Fail(const Node& node, const std::string& path, std::string text) {
    out_.problems.push_back({out_.sources.file(), node.at, path, std::move(text)});
  }

  static std::string KnownKeys(std::string_view key, const Descriptor& type) {
    std::vector<std::string> known;
    known.reserve(static_cast<size_t>(type.field_count()));
    for (int i = 0; i < type.field_count(); ++i) known.push_back(type.field(i)->name());
    const std::string hint = DidYouMean(key, known);
    return hint.empty() ? ", expected " + OneOf(known) : hint;
  }

  bool IsNewKey(const Node& key, const std::string& path,
                std::map<std::string_view, const Node*>& seen) {
    if (key.kind != Node::Kind::kScalar) {
      FailExpected(key, path, "a key");
      return false;
    }
    const auto [first, is_new] = seen.emplace(key.text, &key);
    if (!is_new) {
      Fail(key, path,
           fmt::format("found the key {} again, expected it once (first on line {})",
                       Quote(key.text), first->second->at.line));
    }
    return is_new;
  }

  void DecodeField(const Node& node, const std::string& path, Target target) {
    out_.sources.Add(path, node.at);
    if (target.field.is_map()) return DecodeMapField(node, path, target);
    if (!target.field.is_repeated()) return DecodeOne(node, path, target);
    if (node.kind != Node::Kind::kList) return FailExpected(node, path, Expected(target.field));
    if (IsRequired(target.field) && node.items.empty()) {
      return Fail(node, path, "found an empty list, expected at least one element");
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string element = fmt::format("{}[{}]", path, i);
      out_.sources.Add(element, node.items[i].at);
      DecodeOne(node.items[i], element, target);
    }
  }

  void DecodeMapField(const Node& node, const std::string& path, Target target) {
    if (node.kind != Node::Kind::kMap) return FailExpected(node, path, Expected(target.field));
    const Descriptor& entry_type = *target.field.message_type();
    std::map<std::string_view, const Node*> seen;
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      const Node& key = node.keys[i];
      if (!IsNewKey(key, path, seen)) continue;
      const std::string entry_path = Join(path, key.text);
      out_.sources.Add(entry_path, node.items[i].at);
      Message& entry = target.NewMessage();
      DecodeOne(key, entry_path, {entry, *entry_type.map_key()});
      DecodeOne(node.items[i], entry_path, {entry, *entry_type.map_value()});
    }
  }

  void DecodeOne(const Node& node, const std::string& path, Target target) {
    if (IsMapping(target.field)) {
      if (node.kind != Node::Kind::kMap) return FailExpected(node, path, ExpectedOne(target.field));
      return DecodeMap(node, path, target.NewMessage());
    }
    if (node.kind != Node::Kind::kScalar || !DecodeScalar(node, target)) {
      FailExpected(node, path, ExpectedOne(target.field) + Hint(node, target.field));
    }
  }

  // What most likely was meant, where the type alone does not say it.
  static std::string Hint(const Node& node, const FieldDescriptor& field) {
    if (node.kind != Node::Kind::kScalar) return "";
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_ENUM:
        return DidYouMean(node.text, EnumWords(*field.enum_type()));
      case FieldDescriptor::CPPTYPE_STRING:
        return DidYouMean(node.text, WordsOf(field));
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return IsDuration(field) && ParseDouble(node.text) ? " (the unit is missing)" : "";
      default:
        return node.quoted ? " (without quotes)" : "";
    }
  }

  static bool DecodeScalar(const Node& node, Target target) {
    switch (target.field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return PutText(node, target);
      case FieldDescriptor::CPPTYPE_ENUM:
        return PutEnum(node.text, target);
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return IsDuration(target.field) ? PutDuration(node.text, target)
                                        : PutTimestamp(node.text, target);
      case FieldDescriptor::CPPTYPE_BOOL:
        return !node.quoted && PutBool(node.text, target);
      default:
        return !node.quoted && PutNumber(node.text, target);
    }
  }

  static bool PutText(const Node& node, Target target) {
    const std::vector<std::string> words = WordsOf(target.field);
    if (!words.empty() && std::find(words.begin(), words.end(), node.text) == words.end()) {
      return false;
    }
    if (node.text.empty() && IsRequired(target.field)) return false;
    const auto& reflection = *target.message.GetReflection();
    if (target.field.is_repeated()) {
      reflection.AddString(&target.message, &target.field, node.text);
    } else {
      reflection.SetString(&target.message, &target.field, node.text);
    }
    return true;
  }

  static bool PutEnum(std::string word, Target target) {
    std::replace(word.begin(), word.end(), '_', '-');
    for (int i = 0; i < target.field.enum_type()->value_count(); ++i) {
      const EnumValueDescriptor& value = *target.field.enum_type()->value(i);
      if (word.empty() || EnumWord(value) != word) continue;
      target.Put(value.number(), &google::protobuf::Reflection::SetEnumValue,
                 &google::protobuf::Reflection::AddEnumValue);
      return true;
    }
    return false;
  }

  static bool PutBool(std::string_view text, Target target) {
    const auto value = ParseBool(text);
    if (!value) return false;
    target.Put(*value, &google::protobuf::Reflection::SetBool,
               &google::protobuf::Reflection::AddBool);
    return true;
  }

  static bool PutDuration(std::string_view text, Target target) {
    const auto duration = ParseDuration(text);
    if (!duration) return false;
    if (HasRange(target.field)) {
      const Bounds bounds = BoundsOf(target.field);
      const auto whole = static_cast<std::uint64_t>(duration->seconds()) * 1000 +
                         static_cast<std::uint64_t>(duration->nanos()) / 1'000'000;
      const bool has_rest = duration->nanos() % 1'000'000 != 0;
      if (whole < bounds.min || whole + (has_rest ? 1 : 0) > bounds.max) return false;
    }
    target.NewMessage().CopyFrom(*duration);
    return true;
  }

  static bool PutTimestamp(std::string_view text, Target target) {
    const auto time = ParseTimestamp(text);
    if (time) target.NewMessage().CopyFrom(*time);
    return time.has_value();
  }

  static bool PutNumber(std::string_view text, Target target) {
    using google::protobuf::Reflection;
    const Bounds bounds = BoundsOf(target.field);
    switch (target.field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_UINT32:
      case FieldDescriptor::CPPTYPE_UINT64: {
        const auto value = ParseUnsigned(text);
        if (!value || *value < bounds.min || *value > bounds.max) return false;
        if (target.field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
          target.Put(*value, &Reflection::SetUInt64, &Reflection::AddUInt64);
        } else {
          target.Put(static_cast<std::uint32_t>(*value), &Reflection::SetUInt32,
                     &Reflection::AddUInt32);
        }
        return true;
      }
      case FieldDescriptor::CPPTYPE_INT32:
      case FieldDescriptor::CPPTYPE_INT64: {
        const auto value = ParseSigned(text);
        if (!value) return false;
        if (target.field.cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
          target.Put(*value, &Reflection::SetInt64, &Reflection::AddInt64);
          return true;
        }
        if (*value != static_cast<std::int32_t>(*value)) return false;
        target.Put(static_cast<std::int32_t>(*value), &Reflection::SetInt32, &Reflection::AddInt32);
        return true;
      }
      default: {
        const auto value = ParseDouble(text);
        if (!value) return false;
        if (target.field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) {
          target.Put(static_cast<float>(*value), &Reflection::SetFloat, &Reflection::AddFloat);
        } else {
          target.Put(*value, &Reflection::SetDouble, &Reflection::AddDouble);
        }
        return true;
      }
    }
  }

  Decoded& out_;
};

void SortAndCut(std::vector<Problem>& problems) {
  SortByPosition(problems);
  if (problems.size() <= kMaxProblems) return;
  const std::size_t more = problems.size() - kMaxProblems;
  problems.resize(kMaxProblems);
  problems.push_back({problems.back().file, {}, "", fmt::format("and {} more problems", more)});
}

}  // namespace

Position SourceMap::At(std::string_view path) const {
  while (!path.empty()) {
    if (const auto found = positions_.find(path); found != positions_.end()) return found->second;
    const std::size_t parent = path.find_last_of(".[");
    path = parent == std::string_view::npos ? "" : path.substr(0, parent);
  }
  return {};
}

std::string SourceMap::Line(std::string_view path) const {
  const auto found = positions_.find(path);
  return found == positions_.end() ? "" : fmt::format("{}:{}", file_, found->second.line);
}

Problem SourceMap::MakeProblem(std::string path, std::string text) const {
  const Position at = At(path);
  return {file_, at, std::move(path), std::move(text)};
}

Decoded Decode(std::string_view text, std::string_view file_name, Message& message) {
  Decoded decoded{.sources = SourceMap(std::string(file_name)), .problems = {}};
  const auto root = ParseTree(text, file_name, decoded.problems);
  if (!root) return decoded;
  if (root->kind != Node::Kind::kMap) {
    const bool is_empty = root->kind == Node::Kind::kNothing;
    std::string hint;
    if (root->kind == Node::Kind::kScalar && root->text.find(':') != std::string::npos) {
      hint = " (a space belongs after ':')";
    }
    decoded.problems.push_back({std::string(file_name), is_empty ? Position{1, 1} : root->at, "",
                                "found " + (is_empty ? "nothing" : Found(*root)) +
                                    ", expected a map of keys and values" + hint});
    return decoded;
  }
  Decoder(decoded).DecodeMap(*root, "", message);
  SortAndCut(decoded.problems);
  return decoded;
}

void DecodeField(const Node& node, const std::string& path, Message& message,
                 const FieldDescriptor& field, Decoded& decoded) {
  Decoder(decoded).DecodeField(node, path, message, field);
}

void DecodeMessage(const Node& node, const std::string& path, Message& message, Decoded& decoded) {
  Decoder decoder(decoded);
  if (node.kind != Node::Kind::kMap) return decoder.FailExpected(node, path, "a map");
  decoder.DecodeMap(node, path, message);
}

}  // namespace roceready::yaml
