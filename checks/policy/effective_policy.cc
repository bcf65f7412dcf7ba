// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/effective_policy.h"

#include <algorithm>

#include "checks/policy/site_rule.h"

namespace roceready {
namespace {

// One condition of a rule: nothing asked, asked and met, asked and not met, asked and not known.
template <typename Holds>
RuleMatch Condition(bool asked, const std::string& known, Holds holds) {
  if (!asked) return RuleMatch::kYes;
  if (known.empty()) return RuleMatch::kUndecided;
  return holds() ? RuleMatch::kYes : RuleMatch::kNo;
}

}  // namespace

RuleMatch MatchRule(const v1::HardwareRule& rule, const HardwareIdentity& identity) {
  const RuleMatch conditions[] = {
      Condition(!rule.driver().empty(), identity.driver,
                [&] { return rule.driver() == identity.driver; }),
      Condition(rule.device_ids_size() > 0, identity.device_id,
                [&] {
                  return std::find(rule.device_ids().begin(), rule.device_ids().end(),
                                   identity.device_id) != rule.device_ids().end();
                }),
      Condition(!rule.psid().empty(), identity.psid, [&] { return rule.psid() == identity.psid; }),
  };
  const auto any = [&](RuleMatch match) {
    return std::find(std::begin(conditions), std::end(conditions), match) != std::end(conditions);
  };
  if (any(RuleMatch::kNo)) return RuleMatch::kNo;
  return any(RuleMatch::kUndecided) ? RuleMatch::kUndecided : RuleMatch::kYes;
}

bool HasEnded(const v1::Waiver& waiver, std::chrono::system_clock::time_point now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  return waiver.until().seconds() <= seconds.count();
}

void OverrideIntent(const v1::FabricIntent& given, v1::FabricIntent& intent) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  given.GetReflection()->ListFields(given, &fields);
  for (const auto* field : fields) {
    // MergeFrom appends to lists.
    if (field->is_repeated()) intent.GetReflection()->ClearField(&intent, field);
  }
  intent.MergeFrom(given);
}

std::string EffectivePolicy::SourceOf(std::string_view path) const {
  const auto found = sources.find(path);
  return found == sources.end() ? "" : found->second;
}

CheckRule EffectivePolicy::RuleOf(std::string_view check_id) const {
  const auto found = checks.find(check_id);
  return found == checks.end() ? CheckRule{} : found->second;
}

const SiteRule* EffectivePolicy::SiteRuleOf(std::string_view check_id) const {
  if (!IsSiteCheckId(check_id)) return nullptr;
  const auto found = std::find_if(site_checks.begin(), site_checks.end(),
                                  [&](const auto& rule) { return rule->id == check_id; });
  return found == site_checks.end() ? nullptr : found->get();
}

const v1::Waiver* EffectivePolicy::WaiverFor(std::string_view check_id,
                                             std::chrono::system_clock::time_point now) const {
  const v1::Waiver* latest = nullptr;
  for (const v1::Waiver& waiver : waivers) {
    if (waiver.check_id() != check_id || HasEnded(waiver, now)) continue;
    if (latest == nullptr || latest->until().seconds() < waiver.until().seconds()) {
      latest = &waiver;
    }
  }
  return latest;
}

}  // namespace roceready
