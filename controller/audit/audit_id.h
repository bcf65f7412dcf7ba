// SPDX-License-Identifier: Apache-2.0
// Names of audits: "a7-12" is the twelfth of epoch 7. As each start of a controller has an epoch of
// its own, a name never comes back, and the name of a lost audit says that it is
// lost.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace roceready {

struct AuditId {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;

  std::string Text() const;
  // In the order in which they were made.
  std::strong_ordering operator<=>(const AuditId&) const = default;
};

// Nothing for any other text.
std::optional<AuditId> ParseAuditId(std::string_view text);

}  // namespace roceready
