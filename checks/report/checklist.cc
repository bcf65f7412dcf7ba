// SPDX-License-Identifier: Apache-2.0
// The checklist itself: `checks`, `explain CHECK`, and JSON.
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <memory>

#include "checks/policy/effective_policy.h"
#include "checks/policy/site_rule.h"
#include "checks/report/layout.h"
#include "checks/report/report.h"
#include "checks/site_checks.h"
#include "checks/words.h"
#include "proto/contract/errors.h"

namespace roceready::report {
namespace {

constexpr size_t kWidth = 80;
// Where the titles of the checklist begin: behind id, scope and severity.
constexpr size_t kTitleColumn = 24 + 7 + 10;

// The word of an enum value: "SEVERITY_BLOCKS" -> "blocks".
std::string LastWord(std::string name) {
  name = name.substr(name.rfind('_') + 1);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

// "pfc" of "pfc.lossless-priority".
std::string_view TopicOf(std::string_view id) { return id.substr(0, id.find('.')); }

// One line of the checklist, its title continued below itself.
std::string LineOf(const checks::Check& check, std::string_view weight, std::string_view title,
                   bool color) {
  std::string text = Styled(fmt::format("{:<24}", check.id), Style::kBold, color);
  text += fmt::format("{:<6} {:<9} ", LastWord(v1::Scope_Name(check.scope)), weight);
  std::string indent;
  for (const std::string& line : Wrap(Harmless(title), kWidth - kTitleColumn)) {
    text += fmt::format("{}{}\n", indent, line);
    indent.assign(kTitleColumn, ' ');
  }
  return text;
}

// A check with the weights that a policy gives it.
struct PolicedCheck {
  checks::Check check;
  CheckRule rule;
  // What the check's text is a view of; of a site's own check alone.
  std::shared_ptr<const std::string> how;
};

// The catalogue, then what the site wrote itself.
std::vector<PolicedCheck> PolicedChecks(const EffectivePolicy& policy) {
  std::vector<PolicedCheck> all;
  const auto add = [&](const checks::Check& check, std::shared_ptr<const std::string> how) {
    PolicedCheck& one = all.emplace_back();
    one = {.check = check, .rule = policy.RuleOf(check.id), .how = std::move(how)};
    one.check.severity = one.rule.severity.value_or(check.severity);
    one.check.on_unknown = one.rule.on_unknown.value_or(check.on_unknown);
  };
  for (const checks::Check& check : checks::Catalog()) add(check, nullptr);
  for (const auto& rule : policy.site_checks) {
    const auto how = std::make_shared<const std::string>(checks::HowOf(*rule));
    add(checks::CheckOf(*rule, *how), how);
    std::string& source = all.back().rule.source;
    if (source.empty()) source = policy.SourceOf("site_checks." + rule->check.id());
  }
  return all;
}

}  // namespace

std::string RenderJson(const v1::AuditReport& report) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string json;
  // Only a message that is not UTF-8 or holds a foreign Any can fail: ours is neither.
  const auto status = google::protobuf::util::MessageToJsonString(report, &json, options);
  if (!status.ok()) json = "{}";
  if (!json.ends_with('\n')) json += '\n';
  return json;
}

std::string RenderChecks(bool color) {
  std::string text;
  for (const checks::Check& check : checks::Catalog()) {
    text += LineOf(check, LastWord(v1::Severity_Name(check.severity)), check.title, color);
  }
  return text;
}

std::string RenderChecks(const EffectivePolicy& policy, bool color) {
  std::string text = fmt::format("policy {}, where no override for a host says otherwise\n",
                                 Harmless(policy.name));
  for (const PolicedCheck& one : PolicedChecks(policy)) {
    const std::string weight =
        one.rule.enabled ? LastWord(v1::Severity_Name(one.check.severity)) : "off";
    std::string title(one.check.title);
    if (one.check.on_unknown == v1::ON_UNKNOWN_BLOCK) title += "; must be known";
    if (!one.rule.source.empty()) title += fmt::format(" ({})", one.rule.source);
    text += LineOf(one.check, weight, title, color);
  }
  return text;
}

google::protobuf::Struct ChecksAsMessage(const EffectivePolicy& policy) {
  google::protobuf::Struct document;
  (*document.mutable_fields())["policy"].set_string_value(policy.name);
  auto& list = *(*document.mutable_fields())["checks"].mutable_list_value();
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  for (const PolicedCheck& one : PolicedChecks(policy)) {
    google::protobuf::Struct& row = *list.add_values()->mutable_struct_value();
    std::string json;
    // Both directions fail for text that is not UTF-8 alone: ours is.
    if (google::protobuf::util::MessageToJsonString(InfoOf(one.check), &json, options).ok()) {
      (void)google::protobuf::util::JsonStringToMessage(json, &row).ok();
    }
    (*row.mutable_fields())["enabled"].set_bool_value(one.rule.enabled);
    if (!one.rule.source.empty()) {
      (*row.mutable_fields())["policy_source"].set_string_value(one.rule.source);
    }
  }
  return document;
}

std::string RenderExplain(const checks::Check& check, bool color) {
  Page page(kWidth, color);
  page.Line(Styled(check.id, Style::kBold, color));
  page.Field(0, "what", check.title);
  page.Field(0, "scope", LastWord(v1::Scope_Name(check.scope)));
  page.Field(0, "weight",
             fmt::format("{}; on unknown: {} (unless the policy says otherwise)",
                         LastWord(v1::Severity_Name(check.severity)),
                         LastWord(v1::OnUnknown_Name(check.on_unknown))));
  page.Field(0, "why", check.why);
  page.Field(0, "how", check.how);
  page.Field(0, "fix", check.fix);
  if (!check.explained_by.empty()) {
    page.Field(0, "follows",
               "from " + checks::JoinWords(check.explained_by, ", ") +
                   ", where one of these is found at the same port");
  }
  std::string name = "sources";
  for (const std::string_view source : check.sources) {
    page.Field(0, name, source);
    name.clear();
  }
  return page.Take();
}

v1::CheckInfo InfoOf(const checks::Check& check) {
  v1::CheckInfo info;
  info.set_check_id(std::string(check.id));
  info.set_title(std::string(check.title));
  info.set_scope(check.scope);
  info.set_severity(check.severity);
  info.set_on_unknown(check.on_unknown);
  info.set_why(std::string(check.why));
  info.set_how(std::string(check.how));
  info.set_fix(std::string(check.fix));
  for (const std::string_view source : check.sources) info.add_sources(std::string(source));
  return info;
}

v1::ListChecksResponse AllChecks() {
  v1::ListChecksResponse response;
  for (const checks::Check& check : checks::Catalog()) *response.add_checks() = InfoOf(check);
  return response;
}

absl::Status UnknownCheck(std::string_view check_id) {
  std::vector<std::string_view> near;
  for (const checks::Check& check : checks::Catalog()) {
    if (TopicOf(check.id) == TopicOf(check_id)) near.push_back(check.id);
  }
  if (near.empty()) {
    return NotFound("no check is called \"{}\"; `checks` lists them", Harmless(check_id));
  }
  return NotFound("no check is called \"{}\"; there is {}", Harmless(check_id),
                  checks::JoinWords(near));
}

}  // namespace roceready::report
