// SPDX-License-Identifier: Apache-2.0
// The policies that are in force, by name. Not thread-safe: it belongs to one event loop; the
// policies handed out are immutable and may be kept anywhere.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checks/policy/loaded_policy.h"

namespace roceready {

struct PolicyText {
  std::string file_name;
  std::string text;
};

class PolicySet {
 public:
  struct Outcome {
    // Empty: the new policies are in force. Else nothing changed, and this is all that is wrong.
    std::vector<yaml::Problem> problems;
    std::vector<yaml::Problem> notes;

    bool ok() const { return problems.empty(); }
  };

  // Puts these policies in place of all others, if each of them is valid and is named as its file
  // (site.yaml holds policy "site").
  Outcome Replace(const std::vector<PolicyText>& texts, const PolicyContext& context);

  // Null where there is none of this name.
  std::shared_ptr<const LoadedPolicy> Find(std::string_view name) const;
  // Sorted.
  std::vector<std::string> Names() const;

 private:
  std::map<std::string, std::shared_ptr<const LoadedPolicy>, std::less<>> policies_;
};

}  // namespace roceready
