// SPDX-License-Identifier: Apache-2.0
// A check that a site wrote into its policy, made ready to be judged: the path resolved, the
// operator known to suit the fact, the values read as the fact's type.
#pragma once

#include <roceready/v1/policy.pb.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "checks/policy/site_path.h"

namespace roceready {

enum class SiteOperator {
  kEquals,
  kDiffers,
  kAtLeast,
  kAtMost,
  kOneOf,
  kContains,
  kMatches,
  kExists,
  kAbsent
};

// One value of a fact. A word of an enum is a text, "roce-v2". Signed numbers only where the fact
// is signed.
using SiteValue = std::variant<std::uint64_t, std::int64_t, bool, std::string>;
std::string ValueText(const SiteValue& value);

struct SiteRule {
  // "site." and the policy's id.
  std::string id;
  v1::SiteCheck check;
  std::vector<SiteStep> path;
  SiteOperator operation = SiteOperator::kExists;
  std::vector<SiteValue> values;

  v1::Severity severity() const {
    return check.has_severity() ? check.severity() : v1::SEVERITY_ADVICE;
  }
  v1::OnUnknown on_unknown() const {
    return check.has_on_unknown() ? check.on_unknown() : v1::ON_UNKNOWN_NOTE;
  }
  // "at least 9000", "one of dscp or pcp", "there".
  std::string Wish() const;
  // "mtu.mtu_bytes": the path without what it is a fact of.
  std::string FactName() const;
};

// Whether a check of this id is written in a policy, and so in no catalogue.
bool IsSiteCheckId(std::string_view check_id);
std::string SiteCheckId(std::string_view id);

// What is wrong with one field of a check: "path", "values[1]".
struct SiteMistake {
  std::string field;
  std::string text;
};

// Null where there are mistakes: all that could be told are added.
std::shared_ptr<const SiteRule> MakeSiteRule(const v1::SiteCheck& check,
                                             std::vector<SiteMistake>& mistakes);

// Whether the value is as wanted; nothing where the two cannot be compared (a version that does not
// begin with a number). Not for exists and absent.
std::optional<bool> Holds(const SiteRule& rule, const SiteValue& value);

}  // namespace roceready
