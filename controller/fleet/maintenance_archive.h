// SPDX-License-Identifier: Apache-2.0
// Where marks of maintenance are kept over a restart, as the API sees it. Called on the event loop.
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <string>
#include <vector>

#include "proto/process/clock.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {

class MaintenanceArchive {
 public:
  // Runs on the loop, now or later, in the order of the calls: OK once it is on disk.
  using Done = std::function<void(absl::Status)>;

  virtual ~MaintenanceArchive() = default;

  // As MaintenanceBook's.
  virtual void Put(std::vector<v1::MaintenanceMark> marks, WallTime now, Done done) = 0;
  virtual void Remove(std::vector<std::string> hosts, Done done) = 0;
};

}  // namespace roceready
