// SPDX-License-Identifier: Apache-2.0
// The judged hosts of one audit, by place and by name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checks/host_judgement.h"

namespace roceready::checks {

class FleetHosts {
 public:
  // Each of another name.
  explicit FleetHosts(std::vector<HostJudgementPtr> hosts) : hosts_(std::move(hosts)) {
    for (size_t place = 0; place < hosts_.size(); ++place) places_[hosts_[place]->host] = place;
  }

  const std::vector<HostJudgementPtr>& all() const { return hosts_; }

  // Null: it is not one of them.
  HostJudgementPtr Find(std::string_view host) const {
    const auto place = places_.find(host);
    return place == places_.end() ? nullptr : hosts_[place->second];
  }

  // In place of the one of the same name, which is one of them.
  void Replace(HostJudgementPtr host) {
    HostJudgementPtr& place = hosts_[places_.at(host->host)];
    place = std::move(host);
  }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };

  std::vector<HostJudgementPtr> hosts_;
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> places_;
};

}  // namespace roceready::checks
