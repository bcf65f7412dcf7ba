// SPDX-License-Identifier: Apache-2.0
#include "proto/process/build_info.h"

namespace roceready {

std::string_view SoftwareVersion() { return ROCEREADY_VERSION; }

}  // namespace roceready
