// SPDX-License-Identifier: Apache-2.0
#include "checks/switch/planned_end.h"

#include <algorithm>
#include <cctype>

namespace roceready::checks {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Names that go on with a number: the kernel's own, biosdevname's, RDMA drivers' and NIC vendors'.
constexpr std::string_view kNumbered[] = {"eth",   "em",    "ib",      "bond",  "mlx",
                                          "mlx4_", "mlx5_", "bnxt_re", "irdma", "rdma",
                                          "roce",  "nic",   "hca",     "rail",  "bf"};
// Names by slot and path (systemd's predictable ones, of net and RDMA devices).
constexpr std::string_view kBySlot[] = {"enp", "ens", "eno", "enx", "ibp", "ibs", "rocep", "roceo"};

// biosdevname: "p3p1".
bool IsBiosName(std::string_view name) {
  if (name.size() < 4 || name[0] != 'p' || !IsDigit(name[1])) return false;
  const size_t second = name.find('p', 2);
  return second != std::string_view::npos && second + 1 < name.size() && IsDigit(name[second + 1]);
}

}  // namespace

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string ShortName(std::string_view host) { return LowerCase(host.substr(0, host.find('.'))); }

bool PlannedEnd::IsHost() const {
  const std::string lower = LowerCase(port);
  // Modules and breakouts of switches; Linux has no slash in a name.
  if (lower.find('/') != std::string::npos) return false;
  const auto goes_on = [&](std::string_view lead) {
    return lower.starts_with(lead) && lower.size() > lead.size();
  };
  return IsBiosName(lower) ||
         std::ranges::any_of(
             kNumbered,
             [&](std::string_view lead) { return goes_on(lead) && IsDigit(lower[lead.size()]); }) ||
         std::ranges::any_of(kBySlot, goes_on);
}

std::optional<PlannedEnd> PlannedEndOf(const v1::SwitchPort& port) {
  if (port.has_planned_neighbour()) {
    const v1::PlannedNeighbour& planned = port.planned_neighbour();
    if (!planned.has_name()) return std::nullopt;
    return PlannedEnd{planned.name(), planned.port()};
  }
  const std::string_view words = port.description();
  const size_t gap = words.find_first_of(": ");
  if (words.empty() || gap == 0) return std::nullopt;
  const size_t rest = gap == std::string_view::npos ? gap : words.find_first_not_of(": ", gap);
  return PlannedEnd{std::string(words.substr(0, gap)),
                    rest == std::string_view::npos ? "" : std::string(words.substr(rest))};
}

}  // namespace roceready::checks
