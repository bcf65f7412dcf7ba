// SPDX-License-Identifier: Apache-2.0
// Mistakes in the checks that a site wrote itself.
#include <fmt/core.h>

#include <map>

#include "checks/policy/site_rule.h"
#include "checks/policy/validate.h"

namespace roceready {

void ReviewSiteChecks(const v1::Policy& policy, PolicyReview& review) {
  std::map<std::string, int> first;
  for (int i = 0; i < policy.site_checks_size(); ++i) {
    const v1::SiteCheck& check = policy.site_checks(i);
    const std::string path = fmt::format("site_checks[{}]", i);
    std::vector<SiteMistake> mistakes;
    MakeSiteRule(check, mistakes);
    for (SiteMistake& mistake : mistakes) {
      review.Problem(path + "." + mistake.field, std::move(mistake.text));
    }
    const auto [earlier, is_new] = first.emplace(check.id(), i);
    if (!is_new && !check.id().empty()) {
      const std::string before = fmt::format("site_checks[{}].id", earlier->second);
      review.Problem(path + ".id",
                     fmt::format("found {} again, expected each id once (first on line {})",
                                 yaml::Quote(check.id()), review.sources().At(before).line));
    }
  }
}

}  // namespace roceready
