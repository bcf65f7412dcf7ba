// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/faults_found.h"

#include <algorithm>

namespace roceready::checks {
namespace {

// What some of many ports have wrong does not explain what all of them show.
constexpr double kNearlyAll = 0.8;

bool IsOfProbes(std::string_view key) {
  return key.starts_with("probe.") || key.starts_with("blame.");
}

}  // namespace

FaultsFound::FaultsFound(const std::deque<Draft>& drafts) {
  std::set<std::string_view> failed;
  for (const Draft& draft : drafts) {
    if (draft.finding.status() != v1::CHECK_STATUS_FAIL) continue;
    failed.insert(draft.finding.key());
    ByPort& by_port = by_check_[draft.finding.check_id()];
    for (const PortKey& port : draft.explains ? *draft.explains : draft.touches) {
      by_port.emplace(port, &draft);
    }
  }
  for (const Draft& draft : drafts) {
    const bool explained = std::ranges::any_of(draft.follows, [&](const std::string& key) {
      return !IsOfProbes(key) && failed.contains(key);
    });
    if (draft.finding.status() == v1::CHECK_STATUS_FAIL && !explained) {
      open_.insert(draft.finding.key());
    }
  }
}

bool FaultsFound::IsOpen(std::string_view key) const { return open_.contains(key); }

const Draft* FaultsFound::At(const ByPort& by_port, const PortKey& port) {
  for (const PortKey& key :
       {port, PortKey{port.host, port.device_id, 0}, PortKey{port.host, {}, 0}}) {
    const auto found = by_port.find(key);
    if (found != by_port.end()) return found->second;
  }
  return nullptr;
}

bool FaultsFound::Touch(std::span<const std::string_view> check_ids, const PortKey& port) const {
  return std::ranges::any_of(check_ids, [&](std::string_view id) {
    const auto found = by_check_.find(id);
    return found != by_check_.end() && At(found->second, port) != nullptr;
  });
}

std::vector<std::string> FaultsFound::ExplanationsOf(std::span<const std::string_view> check_ids,
                                                     std::span<const PortKey> ports) const {
  for (const std::string_view id : check_ids) {
    const auto found = by_check_.find(id);
    if (found == by_check_.end()) continue;
    std::vector<std::string> keys;
    size_t touched = 0;
    for (const PortKey& port : ports) {
      const Draft* draft = At(found->second, port);
      if (draft == nullptr) continue;
      ++touched;
      const std::string& key = draft->finding.key();
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
    if (touched > 0 &&
        static_cast<double>(touched) >= kNearlyAll * static_cast<double>(ports.size())) {
      return keys;
    }
  }
  return {};
}

}  // namespace roceready::checks
