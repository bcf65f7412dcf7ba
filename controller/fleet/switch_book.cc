// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/switch_book.h"

#include <algorithm>
#include <set>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

// A name is part of URLs and of findings' keys.
bool IsName(std::string_view name) {
  constexpr std::size_t kLongest = 253;  // of a DNS name
  return !name.empty() && name.size() <= kLongest && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

absl::Status Check(const v1::SwitchFacts& facts) {
  if (!IsName(facts.name())) {
    return InvalidArgument(
        "'{}' is no name of a switch: expected lower-case letters, digits, '-', '_' and '.'",
        facts.name());
  }
  if (facts.ports().empty()) return InvalidArgument("switch {} has no port", facts.name());
  std::set<std::string_view> ports;
  for (const v1::SwitchPort& port : facts.ports()) {
    if (!ports.insert(port.name()).second) {
      return InvalidArgument("switch {} has port '{}' twice", facts.name(), port.name());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SwitchBook::Put(const std::vector<v1::SwitchFacts>& switches,
                             const std::string& caller, MonotonicTime now) {
  std::map<std::string, ImportedSwitch> kept = switches_;
  std::set<std::string_view> names;
  for (const v1::SwitchFacts& facts : switches) {
    RETURN_IF_ERROR(Check(facts));
    if (!names.insert(facts.name()).second) {
      return InvalidArgument("switch {} is given twice: two files have the same host name",
                             facts.name());
    }
    kept[facts.name()] = {std::make_shared<const v1::SwitchFacts>(facts), now, caller,
                          facts.ByteSizeLong()};
  }
  std::size_t bytes = 0;
  for (const auto& [name, one] : kept) bytes += one.bytes;
  if (kept.size() > kMaxSwitches || bytes > kMaxBytes) {
    return MakeError(absl::StatusCode::kResourceExhausted,
                     fmt::format("{} switches with {} bytes would be kept, at most {} with {} are: "
                                 "remove some",
                                 kept.size(), bytes, kMaxSwitches, kMaxBytes));
  }
  switches_ = std::move(kept);
  return absl::OkStatus();
}

void SwitchBook::TakeUp(std::shared_ptr<const v1::SwitchFacts> facts, MonotonicTime imported_at,
                        std::string imported_by) {
  const std::size_t bytes = facts->ByteSizeLong();
  ImportedSwitch& one = switches_[facts->name()];
  one = {std::move(facts), imported_at, std::move(imported_by), bytes};
}

bool SwitchBook::Remove(const std::string& name) { return switches_.erase(name) > 0; }

}  // namespace roceready
