// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roceready {

// Of the whole product, from the top CMakeLists.txt: "0.1.0".
std::string_view SoftwareVersion();

}  // namespace roceready
