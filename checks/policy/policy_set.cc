// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/policy_set.h"

#include <utility>

namespace roceready {
namespace {

std::string Stem(std::string_view file_name) {
  file_name = file_name.substr(file_name.rfind('/') + 1);
  return std::string(file_name.substr(0, file_name.rfind('.')));
}

template <typename List>
void Append(List from, List& to) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

}  // namespace

PolicySet::Outcome PolicySet::Replace(const std::vector<PolicyText>& texts,
                                      const PolicyContext& context) {
  Outcome outcome;
  std::map<std::string, std::shared_ptr<const LoadedPolicy>, std::less<>> policies;
  for (const PolicyText& text : texts) {
    PolicyResult result = LoadPolicy(text.text, text.file_name, context);
    if (result.ok()) {
      const std::string& name = result.policy->name();
      if (name != Stem(text.file_name)) {
        outcome.problems.push_back({text.file_name,
                                    {},
                                    "name",
                                    "found " + yaml::Quote(name) + ", expected the file's name, " +
                                        yaml::Quote(Stem(text.file_name)) +
                                        ": policies are asked for by it"});
      }
      if (!policies.emplace(name, result.policy).second) {
        outcome.problems.push_back(
            {text.file_name, {}, "name", "found a second policy " + yaml::Quote(name)});
      }
    }
    Append(std::move(result.problems), outcome.problems);
    Append(std::move(result.notes), outcome.notes);
  }
  if (outcome.ok()) policies_ = std::move(policies);
  return outcome;
}

std::shared_ptr<const LoadedPolicy> PolicySet::Find(std::string_view name) const {
  const auto found = policies_.find(name);
  return found == policies_.end() ? nullptr : found->second;
}

std::vector<std::string> PolicySet::Names() const {
  std::vector<std::string> names;
  names.reserve(policies_.size());
  for (const auto& [name, policy] : policies_) names.push_back(name);
  return names;
}

}  // namespace roceready
