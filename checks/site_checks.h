// SPDX-License-Identifier: Apache-2.0
// Judges what a site wants beyond the catalogue: the site_checks of its policy.
#pragma once

#include "checks/check.h"
#include "checks/judge.h"
#include "checks/policy/site_rule.h"

namespace roceready::checks {

class HostView;

// The words of a site's check, for `explain` and for judging. The rule has to outlive it; `how` is
// made by HowOf() and has to outlive it too.
Check CheckOf(const SiteRule& rule, std::string_view how = {});
// "net_devices[].mtu.mtu_bytes must be at least 9000. ...", in whole sentences.
std::string HowOf(const SiteRule& rule);

// One PASS, FAIL, UNKNOWN or NOT_APPLICABLE for each place that the rule's path leads to.
void JudgeSiteRule(const HostView& host, const SiteRule& rule, Judge& judge);

}  // namespace roceready::checks
