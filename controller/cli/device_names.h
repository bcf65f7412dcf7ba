// SPDX-License-Identifier: Apache-2.0
// The names that RDMA devices have at the moment, by the facts that the controller has. Results
// know devices by what does not change.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace roceready::cli {

class FleetClient;

class DeviceNames {
 public:
  // Beyond so many hosts their devices go without names: each is a call.
  static constexpr std::size_t kMaxHosts = 64;

  explicit DeviceNames(FleetClient* client) : client_(client) {}

  // Asks for those that are not known yet. Hosts without facts stay without names.
  void Learn(const std::set<std::string>& hosts);

  // Empty: not known.
  std::string Find(const std::string& host, const std::string& device_id) const;

 private:
  FleetClient* client_;
  std::set<std::string> asked_;
  std::map<std::pair<std::string, std::string>, std::string> names_;
};

}  // namespace roceready::cli
