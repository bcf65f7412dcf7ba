// SPDX-License-Identifier: Apache-2.0
#include "tests/support/source_path.h"

namespace roceready {

std::string SourcePath(std::string_view below) {
  std::string path = ROCEREADY_SOURCE_DIR "/";
  return path.append(below);
}

}  // namespace roceready
