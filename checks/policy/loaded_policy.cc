// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/loaded_policy.h"

#include <fmt/core.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <utility>

#include "checks/policy/site_rule.h"
#include "checks/policy/validate.h"
#include "proto/contract/errors.h"
#include "proto/contract/fact_parts.h"

namespace roceready {
namespace {

using google::protobuf::FieldDescriptor;

std::string Hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// Equal messages give equal bytes, maps included.
std::string DeterministicBytes(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

std::vector<const FieldDescriptor*> GivenFields(const google::protobuf::Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  return fields;
}

HostMatcher ParsedBefore(const std::string& hosts) {
  // Validation has parsed the same text; if not, this ends the program.
  return *HostMatcher::Parse(hosts);
}

std::string WithoutFolders(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

LoadedPolicy::LoadedPolicy(v1::Policy message, yaml::SourceMap sources)
    : message_(std::move(message)),
      sources_(std::move(sources)),
      digest_(Hexadecimal(Sha256(DeterministicBytes(message_)))),
      base_(MakeBase()) {
  for (const v1::HostOverride& entry : message_.overrides()) {
    override_hosts_.push_back(ParsedBefore(entry.hosts()));
  }
  for (const v1::Waiver& waiver : message_.waivers()) {
    waiver_hosts_.push_back(ParsedBefore(waiver.hosts()));
  }
  for (const v1::ExpectedHosts& entry : message_.inventory()) {
    inventory_hosts_.push_back(ParsedBefore(entry.hosts()));
  }
}

std::shared_ptr<const LoadedPolicy> LoadedPolicy::WithJob(const JobEnvironment& environment) const {
  auto policy = std::make_shared<LoadedPolicy>(*this);
  MergeJob(environment, *policy->message_.mutable_job(), policy->base_.sources);
  policy->digest_ = Hexadecimal(Sha256(DeterministicBytes(policy->message_)));
  policy->base_.digest = policy->digest_;
  policy->base_.job = policy->message_.job();
  policy->base_.not_judged = environment.not_judged;
  return policy;
}

std::string LoadedPolicy::LineOf(std::string_view path) const {
  return sources_.Has(path)
             ? fmt::format("{}:{}", WithoutFolders(sources_.file()), sources_.At(path).line)
             : "";
}

EffectivePolicy LoadedPolicy::MakeBase() const {
  EffectivePolicy policy;
  policy.name = message_.name();
  policy.digest = digest_;
  policy.intent = message_.intent();
  policy.job = message_.job();
  policy.probes = message_.probes();
  policy.background = message_.background();
  policy.switches = message_.switches();
  for (int i = 0; i < message_.hardware_size(); ++i) {
    policy.hardware.push_back({message_.hardware(i), LineOf(fmt::format("hardware[{}]", i))});
  }
  const std::pair<std::string, const google::protobuf::Message*> groups[] = {
      {"intent.", &message_.intent()},
      {"job.", &message_.job()},
      {"probes.", &message_.probes()},
      {"background.", &message_.background()},
      {"switches.", &message_.switches()}};
  for (const auto& [prefix, group] : groups) {
    for (const FieldDescriptor* field : GivenFields(*group)) {
      const std::string path = prefix + field->name();
      policy.sources[path] = LineOf(path);
    }
  }
  for (int i = 0; i < message_.site_checks_size(); ++i) {
    const v1::SiteCheck& check = message_.site_checks(i);
    std::vector<SiteMistake> none;
    policy.site_checks.push_back(MakeSiteRule(check, none));
    policy.sources["site_checks." + check.id()] = LineOf(fmt::format("site_checks[{}]", i));
  }
  ApplyChecks(message_.checks(), "checks", policy);
  return policy;
}

void LoadedPolicy::ApplyChecks(const google::protobuf::RepeatedPtrField<v1::CheckSetting>& settings,
                               const std::string& path, EffectivePolicy& policy) const {
  for (int i = 0; i < settings.size(); ++i) {
    const v1::CheckSetting& setting = settings[i];
    CheckRule& rule = policy.checks[setting.check_id()];
    if (setting.has_enabled()) rule.enabled = setting.enabled();
    if (setting.has_severity()) rule.severity = setting.severity();
    if (setting.has_on_unknown()) rule.on_unknown = setting.on_unknown();
    rule.source = LineOf(fmt::format("{}[{}]", path, i));
  }
}

void LoadedPolicy::ApplyOverride(int index, EffectivePolicy& policy) const {
  const v1::HostOverride& entry = message_.overrides(index);
  const std::string path = fmt::format("overrides[{}]", index);
  for (const FieldDescriptor* field : GivenFields(entry.intent())) {
    policy.sources["intent." + field->name()] = LineOf(path + ".intent." + field->name());
  }
  OverrideIntent(entry.intent(), policy.intent);
  ApplyChecks(entry.checks(), path + ".checks", policy);
}

void LoadedPolicy::AddRails(int index, EffectivePolicy& policy) const {
  const v1::ExpectedHosts& entry = message_.inventory(index);
  for (int i = 0; i < entry.rails_size(); ++i) {
    const std::optional<IpPrefix> subnet = IpPrefix::Parse(entry.rails(i));
    const auto is_it = [&](const ExpectedRail& rail) { return rail.subnet == subnet; };
    if (!subnet || std::any_of(policy.rails.begin(), policy.rails.end(), is_it)) continue;
    policy.rails.push_back({*subnet, LineOf(fmt::format("inventory[{}].rails[{}]", index, i))});
  }
}

std::vector<bool> LoadedPolicy::RulesFor(std::string_view host) const {
  std::vector<bool> rules;
  for (const auto* hosts : {&override_hosts_, &waiver_hosts_, &inventory_hosts_}) {
    for (const HostMatcher& matcher : *hosts) rules.push_back(matcher.Matches(host));
  }
  return rules;
}

EffectivePolicy LoadedPolicy::ForRules(const std::vector<bool>& rules) const {
  EffectivePolicy policy = base_;
  auto rule = rules.begin();
  for (int i = 0; i < message_.overrides_size(); ++i) {
    if (*rule++) ApplyOverride(i, policy);
  }
  for (int i = 0; i < message_.waivers_size(); ++i) {
    if (*rule++) policy.waivers.push_back(message_.waivers(i));
  }
  for (int i = 0; i < message_.inventory_size(); ++i) {
    if (*rule++) AddRails(i, policy);
  }
  return policy;
}

EffectivePolicy LoadedPolicy::ForAllHosts() const {
  EffectivePolicy policy = base_;
  for (const v1::Waiver& waiver : message_.waivers()) {
    if (waiver.hosts() == "*") policy.waivers.push_back(waiver);
  }
  return policy;
}

PolicyResult LoadPolicy(std::string_view text, std::string_view file_name,
                        const PolicyContext& context) {
  v1::Policy message;
  yaml::Decoded decoded = yaml::Decode(text, file_name, message);
  PolicyResult result{.policy = nullptr, .problems = std::move(decoded.problems), .notes = {}};
  ValidatePolicy(message, decoded.sources, context, result.problems, result.notes);
  if (result.ok()) {
    result.policy =
        std::make_shared<const LoadedPolicy>(std::move(message), std::move(decoded.sources));
  }
  return result;
}

}  // namespace roceready
