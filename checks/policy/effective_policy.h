// SPDX-License-Identifier: Apache-2.0
// What a policy wants of one host: intent with the overrides for that host applied, the settings of
// each check, the waivers and hardware rules that concern it, and for each value the file and line
// it came from. Plain data: a test fills in the fields it needs.
//
// An absent value in `intent`, `job` or `probes` is not judged (an empty list is an absent value).
#pragma once

#include <roceready/v1/finding.pb.h>
#include <roceready/v1/policy.pb.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/policy/ip_prefix.h"

namespace roceready {

struct SiteRule;  // checks/policy/site_rule.h: a check that the site wrote itself

// What the policy says about one check; an absent value leaves the check's own default.
struct CheckRule {
  bool enabled = true;
  std::optional<v1::Severity> severity;
  std::optional<v1::OnUnknown> on_unknown;
  // "lossless-dscp.yaml:31", or "" where the policy does not name the check.
  std::string source;
};

struct SourcedHardwareRule {
  v1::HardwareRule rule;
  std::string source;
};

// What a hardware rule is matched against. A field that was not read is empty.
struct HardwareIdentity {
  // Kernel driver, such as "mlx5_core".
  std::string driver;
  // "15b3:101d", lower-case hexadecimal.
  std::string device_id;
  std::string psid;
};

// A rule may hold, or may not, because a value it asks for was not read: then it is undecided, and
// the check that uses it must say UNKNOWN, not PASS.
enum class RuleMatch { kNo, kYes, kUndecided };
RuleMatch MatchRule(const v1::HardwareRule& rule, const HardwareIdentity& identity);

// Whether a waiver no longer holds. To the second: a nanosecond clock overflows at an end date such
// as 9999-12-31.
bool HasEnded(const v1::Waiver& waiver, std::chrono::system_clock::time_point now);

// Puts what `given` says in place of what `intent` says; a list replaces the whole list.
void OverrideIntent(const v1::FabricIntent& given, v1::FabricIntent& intent);

// A subnet in which the inventory wants a RoCE port of the host.
struct ExpectedRail {
  IpPrefix subnet;
  std::string source;
};

struct EffectivePolicy {
  std::string name;
  // SHA-256 of the policy's content (not of its comments), hexadecimal.
  std::string digest;
  v1::FabricIntent intent;
  v1::JobSettings job;
  v1::ProbeSettings probes;
  v1::BackgroundUsers background;
  v1::SwitchIntent switches;
  std::vector<SourcedHardwareRule> hardware;
  // In the order of the file, each of another id. Never null.
  std::vector<std::shared_ptr<const SiteRule>> site_checks;
  // By check id.
  std::map<std::string, CheckRule, std::less<>> checks;
  // Those for this host, expired ones too (WaiverFor looks at the time).
  std::vector<v1::Waiver> waivers;
  // What is asked for and no check looks at, for people: said in every report.
  std::vector<std::string> not_judged;
  // Of the inventory's entries for this host, each subnet once.
  std::vector<ExpectedRail> rails;
  // "intent.roce_dscp" -> "lossless-dscp.yaml:14"; also "job.NAME", "probes.NAME",
  // "switches.NAME" and "site_checks.ID".
  std::map<std::string, std::string, std::less<>> sources;

  // For Finding.policy_source: "lossless-dscp.yaml:14" of "intent.roce_dscp", "" if not given.
  std::string SourceOf(std::string_view path) const;

  // What the policy says about a check; all defaults where it says nothing.
  CheckRule RuleOf(std::string_view check_id) const;

  // The site's own check of this id ("site.mtu"), or nullptr.
  const SiteRule* SiteRuleOf(std::string_view check_id) const;

  // The waiver that holds for a check on this host at `now`, or nullptr. Of several, the one that
  // ends last. The pointer lives as long as this policy.
  const v1::Waiver* WaiverFor(std::string_view check_id,
                              std::chrono::system_clock::time_point now) const;
};

}  // namespace roceready
