// SPDX-License-Identifier: Apache-2.0
// Order of firmware and driver versions as kernels report them.
#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace roceready {

// Compares by numbers between dots and dashes: "2.10" > "2.9", "22.35" == "22.35.0". Only the first
// word counts, up to white space, '(' or '/': "22.35.1012 (MT_0000000359)", "4.40 0x8001c967
// 1.3534.0" (ice), "231.0.153.0/pkg 231.1.162.1" (bnxt_en). A number may be hexadecimal with 0x.
// Letters after a number order after none: "1.2" < "1.2a" < "1.2b" < "1.3".
// Empty where one of the two does not begin with a number ("N/A", ""), or where a hexadecimal and a
// decimal number meet: not comparable, so unknown.
std::optional<std::strong_ordering> CompareVersions(std::string_view a, std::string_view b);

// Whether CompareVersions can compare it at all.
bool IsVersion(std::string_view text);

}  // namespace roceready
