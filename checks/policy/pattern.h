// SPDX-License-Identifier: Apache-2.0
// Patterns as policies write them. No regular expressions: these take time that does not grow out
// of hand, whoever wrote them.
#pragma once

#include <string_view>

namespace roceready {

// Whether the whole text is as the pattern says; '*' stands for any text, also none.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace roceready
