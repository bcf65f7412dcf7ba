// SPDX-License-Identifier: Apache-2.0
#include "controller/why/troubles.h"

#include <algorithm>
#include <utility>

namespace roceready::why {
namespace {

std::string LocalOf(const ErrorLine& error) {
  if (!error.local_addresses.empty()) return error.local_addresses.front();
  if (error.host.empty() || error.devices.empty()) return error.host;
  return error.host + "/" + error.devices.front();
}

}  // namespace

void Troubles::Add(ErrorLine error) {
  const std::string local = LocalOf(error);
  const std::string remote = error.remote_addresses.empty() ? "" : error.remote_addresses.front();
  const std::tuple key(error.kind, local, remote);
  const auto known = places_.find(key);
  if (known != places_.end()) {
    Trouble& trouble = troubles_[known->second];
    ++trouble.lines;
    if (error.number < trouble.first.number) trouble.first = std::move(error);
    return;
  }
  if (troubles_.size() == kMaxDistinct) {
    ++uncounted_lines_;
    return;
  }
  places_.emplace(key, troubles_.size());
  troubles_.push_back({.first = std::move(error), .lines = 1, .local = local, .remote = remote});
}

std::vector<Trouble> Troubles::MostFrequentFirst() && {
  std::ranges::sort(troubles_, [](const Trouble& a, const Trouble& b) {
    return std::pair(b.lines, a.first.number) < std::pair(a.lines, b.first.number);
  });
  return std::move(troubles_);
}

}  // namespace roceready::why
