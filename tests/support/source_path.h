// SPDX-License-Identifier: Apache-2.0
// Where the files of this source tree are that tests read. Known to one object file: were the
// folder's name on every test's command line, no test compiled in one clone could be reused in
// another.
#pragma once

#include <string>
#include <string_view>

namespace roceready {

// SourcePath("tests/hosts"), absolute.
std::string SourcePath(std::string_view below);

}  // namespace roceready
