// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/audit_id.h"

#include <fmt/core.h>

#include <charconv>

namespace roceready {
namespace {

// A number as AuditId::Text() writes it: digits, no leading zero.
std::optional<std::uint64_t> Number(std::string_view text) {
  if (text.empty() || text.front() < '1' || text.front() > '9') return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string AuditId::Text() const { return fmt::format("a{}-{}", epoch, number); }

std::optional<AuditId> ParseAuditId(std::string_view text) {
  if (text.empty() || text.front() != 'a') return std::nullopt;
  text.remove_prefix(1);
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto epoch = Number(text.substr(0, dash));
  const auto number = Number(text.substr(dash + 1));
  if (!epoch || !number) return std::nullopt;
  return AuditId{*epoch, *number};
}

}  // namespace roceready
