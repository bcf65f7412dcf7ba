// SPDX-License-Identifier: Apache-2.0
// Comments of scripts and playbooks: "# ..." in lines of 80 columns. Only printable ASCII comes
// out, as YAML ends a line also at characters beyond it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "checks/report/fix.h"

namespace roceready::report {

// `text` in lines behind "# ", `indent` spaces before it.
std::string Comment(std::string_view text, size_t indent = 0);

// What the text is made from and `how` it is used.
std::string HeadingComment(const FixHeading& heading, std::string_view how);

// What is wrong and where, and what is left to a person.
std::string CauseComment(const FixCause& cause);

// "until reboot", "persistent".
std::string_view LastsWords(const FixStep& step);

// How long it lasts, where, and what else is to be done.
std::string StepComment(const FixCause& cause, const FixStep& step, size_t indent = 0);

// Steps one after another that have the same targets.
void ForEachTargets(const FixCause& cause,
                    const std::function<void(const std::vector<const FixStep*>&)>& each);

}  // namespace roceready::report
