// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/site_rule.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "checks/policy/pattern.h"
#include "checks/policy/version_compare.h"
#include "proto/yaml/field_text.h"
#include "proto/yaml/problem.h"
#include "proto/yaml/scalar.h"

namespace roceready {
namespace {

using google::protobuf::FieldDescriptor;
using enum SiteOperator;

constexpr std::string_view kIdLead = "site.";

constexpr std::array<std::pair<std::string_view, SiteOperator>, 9> kOperators = {{
    {"equals", kEquals},
    {"differs", kDiffers},
    {"at-least", kAtLeast},
    {"at-most", kAtMost},
    {"one-of", kOneOf},
    {"contains", kContains},
    {"matches", kMatches},
    {"exists", kExists},
    {"absent", kAbsent},
}};

std::optional<SiteOperator> OperatorOf(std::string_view word) {
  const auto found = std::ranges::find(kOperators, word, &decltype(kOperators)::value_type::first);
  if (found == kOperators.end()) return std::nullopt;
  return found->second;
}

// What a path leads to, as far as operators care.
enum class Shape { kNumber, kBool, kWord, kText, kList, kGroup };

Shape ShapeOf(const SiteStep& last) {
  if (last.field->message_type() != nullptr) return Shape::kGroup;
  if (last.IsWholeList()) return Shape::kList;
  switch (last.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return Shape::kBool;
    case FieldDescriptor::CPPTYPE_ENUM:
      return Shape::kWord;
    case FieldDescriptor::CPPTYPE_STRING:
      return Shape::kText;
    default:
      return Shape::kNumber;
  }
}

std::string_view NameOf(Shape shape) {
  switch (shape) {
    case Shape::kNumber:
      return "a number";
    case Shape::kBool:
      return "true or false";
    case Shape::kWord:
      return "a word";
    case Shape::kText:
      return "a text";
    case Shape::kList:
      return "a list";
    case Shape::kGroup:
      return "a group of facts";
  }
  return "";
}

std::vector<std::string> OperatorsOf(Shape shape) {
  switch (shape) {
    case Shape::kNumber:
      return {"equals", "differs", "at-least", "at-most", "one-of", "exists", "absent"};
    case Shape::kBool:
      return {"equals", "differs", "exists", "absent"};
    case Shape::kWord:
      return {"equals", "differs", "one-of", "exists", "absent"};
    case Shape::kText:
      return {"equals",   "differs", "at-least", "at-most", "one-of",
              "contains", "matches", "exists",   "absent"};
    case Shape::kList:
      return {"contains", "exists", "absent"};
    case Shape::kGroup:
      return {"exists", "absent"};
  }
  return {};
}

std::optional<SiteValue> ReadValue(std::string_view text, const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64: {
      const auto number = yaml::ParseUnsigned(text);
      const yaml::Bounds bounds = yaml::BoundsOf(field);
      if (!number || *number < bounds.min || *number > bounds.max) return std::nullopt;
      return *number;
    }
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
      if (const auto number = yaml::ParseSigned(text)) return *number;
      return std::nullopt;
    case FieldDescriptor::CPPTYPE_BOOL:
      if (const auto given = yaml::ParseBool(text)) return *given;
      return std::nullopt;
    case FieldDescriptor::CPPTYPE_ENUM: {
      const std::vector<std::string> words = yaml::EnumWords(*field.enum_type());
      if (std::ranges::find(words, text) == words.end()) return std::nullopt;
      return std::string(text);
    }
    case FieldDescriptor::CPPTYPE_STRING:
      return std::string(text);
    default:
      return std::nullopt;
  }
}

class Maker {
 public:
  Maker(const v1::SiteCheck& check, std::vector<SiteMistake>& mistakes)
      : check_(check), mistakes_(mistakes) {}

  std::shared_ptr<const SiteRule> Make() {
    const std::size_t before = mistakes_.size();
    Id();
    operator_ = OperatorOf(check_.operator_());
    Path();
    Arguments();
    if (!rule_.path.empty() && operator_) {
      Suits();
      Values();
    }
    const bool is_whole = !check_.id().empty() && !rule_.path.empty() && operator_;
    if (mistakes_.size() > before || !is_whole) return nullptr;
    rule_.id = SiteCheckId(check_.id());
    rule_.check = check_;
    rule_.operation = *operator_;
    return std::make_shared<const SiteRule>(std::move(rule_));
  }

 private:
  void Wrong(std::string field, std::string text) {
    mistakes_.push_back({std::move(field), std::move(text)});
  }

  void Id() {
    constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyz0123456789";
    const std::string& id = check_.id();
    if (id.empty()) return;
    if (IsSiteCheckId(id)) {
      return Wrong("id", "found " + yaml::Quote(id) + ", expected " +
                             yaml::Quote(id.substr(kIdLead.size())) +
                             ": \"site.\" is put before it");
    }
    const bool is_plain = std::ranges::all_of(id, [&](char c) {
      return kFirst.find(c) != std::string_view::npos || c == '-' || c == '.';
    });
    if (id.size() > 64 || !is_plain || kFirst.find(id.front()) == std::string_view::npos) {
      Wrong("id", "found " + yaml::Quote(id) +
                      ", expected at most 64 of a-z, 0-9, '-' and '.', beginning with a letter or "
                      "digit");
    }
  }

  void Path() {
    // A missing one has been told by the decoder.
    if (check_.path().empty()) return;
    SitePath path = ParseSitePath(check_.path());
    if (!path.problem.empty()) Wrong("path", std::move(path.problem));
    rule_.path = std::move(path.steps);
  }

  // Whether what the operator takes is given, and nothing else.
  void Arguments() {
    if (!operator_) return;
    const bool takes_none = *operator_ == kExists || *operator_ == kAbsent;
    const bool takes_list = *operator_ == kOneOf;
    const std::string& word = check_.operator_();
    if (check_.has_value() && (takes_none || takes_list)) {
      Wrong("value", fmt::format("found a value with {}, expected {}", word,
                                 takes_list ? "values, a list" : "none"));
    }
    if (check_.values_size() > 0 && !takes_list) {
      Wrong("values", fmt::format("found values with {}, expected {}", word,
                                  takes_none ? "none" : "value, or the operator one-of"));
    }
    if (takes_list && check_.values().empty() && !check_.has_value()) {
      Wrong("operator", "found one-of without values, expected values, a list");
    }
    if (!takes_none && !takes_list && !check_.has_value() && check_.values().empty()) {
      Wrong("operator",
            fmt::format("found {} without value, expected value: what the fact is compared with",
                        word));
    }
  }

  void Suits() {
    const SiteStep& last = rule_.path.back();
    const Shape shape = ShapeOf(last);
    const std::vector<std::string> suiting = OperatorsOf(shape);
    const std::string& word = check_.operator_();
    if (std::ranges::find(suiting, word) == suiting.end()) {
      suits_ = false;
      std::string text = fmt::format("found {}, expected {}: {} is {}", word, yaml::OneOf(suiting),
                                     last.field->name(), NameOf(shape));
      if (shape == Shape::kList) {
        text += fmt::format(" ({}[] in the path compares each element)", last.field->name());
      }
      return Wrong("operator", std::move(text));
    }
    if (*operator_ != kExists && *operator_ != kAbsent) return;
    if (shape == Shape::kGroup || shape == Shape::kList) return;
    if (last.each) {
      Wrong("operator", fmt::format("found {} of each element, which is always there, expected the "
                                    "path to end in {} without []",
                                    word, last.field->name()));
    } else if (!last.field->has_presence() && shape == Shape::kNumber) {
      Wrong("operator", fmt::format("found {} of {}, which every answer holds, expected another "
                                    "operator",
                                    word, last.field->name()));
    }
  }

  void Values() {
    if (!suits_ || *operator_ == kExists || *operator_ == kAbsent) return;
    if (*operator_ != kOneOf) {
      if (check_.has_value()) Value("value", check_.value());
      return;
    }
    for (int i = 0; i < check_.values_size(); ++i) {
      Value(fmt::format("values[{}]", i), check_.values(i));
    }
  }

  void Value(const std::string& name, const std::string& text) {
    const FieldDescriptor& field = *rule_.path.back().field;
    const bool is_text = field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    std::optional<SiteValue> value = ReadValue(text, field);
    if (!value || (is_text && text.empty())) {
      std::string hint;
      if (field.enum_type() != nullptr) {
        hint = yaml::DidYouMean(text, yaml::EnumWords(*field.enum_type()));
      }
      return Wrong(name, fmt::format("found {}, expected {}, as {} is{}", yaml::Quote(text),
                                     yaml::ExpectedOne(field), field.name(), hint));
    }
    if (is_text && (*operator_ == kAtLeast || *operator_ == kAtMost) && !IsVersion(text)) {
      return Wrong(name, fmt::format("found {}, expected a version that begins with a number: {} "
                                     "compares texts as versions",
                                     yaml::Quote(text), check_.operator_()));
    }
    if (*operator_ == kMatches && (text.front() == '^' || text.back() == '$')) {
      return Wrong(name, "found " + yaml::Quote(text) +
                             ", expected a pattern of the whole text, in which only '*' has a "
                             "meaning: any text");
    }
    if (std::ranges::find(rule_.values, *value) != rule_.values.end()) {
      return Wrong(name, "found " + yaml::Quote(text) + " again, expected each once");
    }
    rule_.values.push_back(*std::move(value));
  }

  const v1::SiteCheck& check_;
  std::vector<SiteMistake>& mistakes_;
  SiteRule rule_;
  std::optional<SiteOperator> operator_;
  bool suits_ = true;
};

// Of texts, as versions.
std::optional<bool> IsOrdered(const SiteValue& value, const SiteValue& bound, bool at_least) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    const auto order = CompareVersions(*text, std::get<std::string>(bound));
    if (!order) return std::nullopt;
    return at_least ? *order >= 0 : *order <= 0;
  }
  return at_least ? value >= bound : value <= bound;
}

}  // namespace

std::string ValueText(const SiteValue& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

bool IsSiteCheckId(std::string_view check_id) { return check_id.starts_with(kIdLead); }

std::string SiteCheckId(std::string_view id) { return fmt::format("{}{}", kIdLead, id); }

std::string SiteRule::Wish() const {
  std::vector<std::string> words;
  words.reserve(values.size());
  for (const SiteValue& value : values) words.push_back(ValueText(value));
  std::string wanted = yaml::OneOf(words);
  switch (operation) {
    case kEquals:
      return wanted;
    case kDiffers:
      return "not " + wanted;
    case kAtLeast:
      return "at least " + wanted;
    case kAtMost:
      return "at most " + wanted;
    case kOneOf:
      return wanted;
    case kContains:
      return (path.back().IsWholeList() ? "with " : "a text with ") + wanted;
    case kMatches:
      return "a text like " + wanted;
    case kExists:
      return "there";
    case kAbsent:
      return "not there";
  }
  return {};
}

std::string SiteRule::FactName() const {
  const std::string& whole = check.path();
  const std::size_t row = whole.rfind("].");
  std::string name = row == std::string::npos ? whole : whole.substr(row + 2);
  if (name.ends_with("[]")) name.resize(name.size() - 2);
  return name;
}

std::shared_ptr<const SiteRule> MakeSiteRule(const v1::SiteCheck& check,
                                             std::vector<SiteMistake>& mistakes) {
  return Maker(check, mistakes).Make();
}

std::optional<bool> Holds(const SiteRule& rule, const SiteValue& value) {
  const SiteValue& wanted = rule.values.front();
  switch (rule.operation) {
    case kEquals:
      return value == wanted;
    case kDiffers:
      return value != wanted;
    case kAtLeast:
      return IsOrdered(value, wanted, true);
    case kAtMost:
      return IsOrdered(value, wanted, false);
    case kOneOf:
      return std::ranges::find(rule.values, value) != rule.values.end();
    case kContains:
      // Of a list each element is asked; of a text, the text.
      if (rule.path.back().IsWholeList()) return value == wanted;
      return std::get<std::string>(value).find(std::get<std::string>(wanted)) != std::string::npos;
    case kMatches:
      return MatchesPattern(std::get<std::string>(wanted), std::get<std::string>(value));
    case kExists:
    case kAbsent:
      break;
  }
  return std::nullopt;
}

}  // namespace roceready
