// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/explain.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <map>

#include "checks/policy/site_rule.h"

namespace roceready {
namespace {

using google::protobuf::FieldDescriptor, google::protobuf::Message;

// "SEVERITY_ADVICE" -> "advice".
std::string LastWord(std::string name) {
  name = name.substr(name.rfind('_') + 1);
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::string TextOf(const Message& message, const FieldDescriptor& field) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  const int count = field.is_repeated() ? message.GetReflection()->FieldSize(message, &field) : 1;
  std::string text;
  for (int i = 0; i < count; ++i) {
    std::string one;
    printer.PrintFieldValueToString(message, &field, field.is_repeated() ? i : -1, &one);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      while (one.ends_with(' ')) one.pop_back();
      one.insert(0, 1, '{');
      one += '}';
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      one = LastWord(one);
    }
    text += (i == 0 ? "" : ", ") + one;
  }
  return field.is_repeated() ? "[" + text + "]" : text;
}

std::string DurationText(const Message& message, const FieldDescriptor& field) {
  google::protobuf::Duration duration;
  duration.CopyFrom(message.GetReflection()->GetMessage(message, &field));
  return google::protobuf::util::TimeUtil::ToString(duration);
}

void AddFields(std::string_view group, const Message& message, const EffectivePolicy& policy,
               std::vector<PolicyLine>& lines) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const std::string path = fmt::format("{}.{}", group, field->name());
    const bool is_duration =
        !field->is_repeated() && field->message_type() == google::protobuf::Duration::descriptor();
    lines.push_back({path, is_duration ? DurationText(message, *field) : TextOf(message, *field),
                     policy.SourceOf(path)});
  }
}

std::string TextOf(const CheckRule& rule) {
  std::string text = rule.enabled ? "" : "disabled";
  const auto add = [&](std::string_view name, std::string word) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, word);
  };
  if (rule.severity) add("severity", LastWord(v1::Severity_Name(*rule.severity)));
  if (rule.on_unknown) add("on_unknown", LastWord(v1::OnUnknown_Name(*rule.on_unknown)));
  return text.empty() ? "enabled" : text;
}

std::string TextOf(const SiteRule& rule) {
  return fmt::format("{} {}, {}: {}", rule.check.path(), rule.Wish(),
                     LastWord(v1::Severity_Name(rule.severity())), rule.check.text());
}

std::string TextOf(const v1::Waiver& waiver) {
  return fmt::format("{} on {} until {:%Y-%m-%d}: {}", waiver.check_id(), waiver.hosts(),
                     fmt::gmtime(waiver.until().seconds()), waiver.reason());
}

}  // namespace

std::vector<PolicyLine> LinesOf(const EffectivePolicy& policy) {
  std::vector<PolicyLine> lines;
  AddFields("intent", policy.intent, policy, lines);
  AddFields("job", policy.job, policy, lines);
  AddFields("switches", policy.switches, policy, lines);
  AddFields("probes", policy.probes, policy, lines);
  AddFields("background", policy.background, policy, lines);
  for (std::size_t i = 0; i < policy.hardware.size(); ++i) {
    std::string text = policy.hardware[i].rule.ShortDebugString();
    lines.push_back({fmt::format("hardware[{}]", i), std::move(text), policy.hardware[i].source});
  }
  for (const auto& rule : policy.site_checks) {
    const std::string path = "site_checks." + rule->check.id();
    lines.push_back({path, TextOf(*rule), policy.SourceOf(path)});
  }
  for (std::size_t i = 0; i < policy.rails.size(); ++i) {
    lines.push_back({fmt::format("inventory.rails[{}]", i), policy.rails[i].subnet.Text(),
                     policy.rails[i].source});
  }
  for (const auto& [id, rule] : policy.checks) {
    lines.push_back({"checks." + id, TextOf(rule), rule.source});
  }
  for (const v1::Waiver& waiver : policy.waivers) {
    lines.push_back({"waivers." + waiver.id(), TextOf(waiver), ""});
  }
  return lines;
}

std::string RenderPolicy(const EffectivePolicy& policy, std::string_view host) {
  std::string text = fmt::format("{} under policy {}\n", host, policy.name);
  for (const PolicyLine& line : LinesOf(policy)) {
    text += fmt::format("  {:<30} {}{}\n", line.path, line.value,
                        line.source.empty() ? "" : "   (" + line.source + ")");
  }
  return text;
}

std::string RenderPolicyDiff(const EffectivePolicy& first, const EffectivePolicy& second) {
  std::map<std::string, std::pair<const PolicyLine*, const PolicyLine*>> by_path;
  std::vector<std::string> order;
  const std::vector<PolicyLine> before = LinesOf(first), after = LinesOf(second);
  for (const PolicyLine& line : before) {
    if (by_path.try_emplace(line.path).second) order.push_back(line.path);
    by_path[line.path].first = &line;
  }
  for (const PolicyLine& line : after) {
    if (by_path.try_emplace(line.path).second) order.push_back(line.path);
    by_path[line.path].second = &line;
  }
  std::string text;
  const auto add = [&](char sign, const PolicyLine* line) {
    if (line == nullptr) return;
    text += fmt::format("{} {:<30} {}{}\n", sign, line->path, line->value,
                        line->source.empty() ? "" : "   (" + line->source + ")");
  };
  for (const std::string& path : order) {
    const auto& [old_line, new_line] = by_path[path];
    if (old_line != nullptr && new_line != nullptr && old_line->value == new_line->value) continue;
    add('-', old_line);
    add('+', new_line);
  }
  return text;
}

}  // namespace roceready
