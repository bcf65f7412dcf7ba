// SPDX-License-Identifier: Apache-2.0
// Texts as they are to be, one a file.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/support/source_path.h"

namespace roceready::report {

inline std::string Golden(std::string_view name) {
  std::ifstream file(SourcePath("tests/unit/checks/report/golden/") + std::string(name));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace roceready::report
