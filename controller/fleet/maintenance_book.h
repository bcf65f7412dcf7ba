// SPDX-License-Identifier: Apache-2.0
// Hosts that an operator has set aside, each until a date. Runs on the event loop.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proto/contract/host_list.h"
#include "proto/process/clock.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {

class MaintenanceBook {
 public:
  struct ByHostName {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return HostNameLess(a, b); }
  };
  using Marks = std::map<std::string, v1::MaintenanceMark, ByHostName>;

  static constexpr std::size_t kMaxMarks = kMaxHostNames;
  static constexpr std::size_t kMaxReasonBytes = 1000;
  static constexpr Duration kShortest = std::chrono::seconds(1);
  // A mark that nobody remembers would hide a host for ever.
  static constexpr Duration kLongest = std::chrono::hours(24 * 90);

  // What is asked for, a mark a host, or what is wrong with the request.
  absl::StatusOr<std::vector<v1::MaintenanceMark>> MarksOf(const v1::SetMaintenanceRequest& request,
                                                           const std::string& caller,
                                                           WallTime now) const;

  // Each in place of an older one. Forgets those that have ended.
  void Put(const std::vector<v1::MaintenanceMark>& marks, WallTime now);
  void Remove(const std::vector<std::string>& hosts);

  // Null: it is not set aside, or not any more.
  const v1::MaintenanceMark* Find(std::string_view host, WallTime now) const;
  // Those that have not ended.
  Marks MarksAt(WallTime now) const;

 private:
  Marks marks_;
};

// "set aside by ann until 2026-12-01 18:00 UTC: new optics".
std::string InWords(const v1::MaintenanceMark& mark);

}  // namespace roceready
