// SPDX-License-Identifier: Apache-2.0
// An archive of marks of maintenance for tests: takes or refuses changes as it is told.
#pragma once

#include <utility>
#include <vector>

#include "controller/fleet/maintenance_archive.h"

namespace roceready {

class MemoryMaintenance final : public MaintenanceArchive {
 public:
  void Put(std::vector<v1::MaintenanceMark> marks, WallTime, Done done) override {
    if (answer.ok()) put = std::move(marks);
    done(answer);
  }
  void Remove(std::vector<std::string> hosts, Done done) override {
    if (answer.ok()) removed = std::move(hosts);
    done(answer);
  }

  absl::Status answer;
  // Of the last call.
  std::vector<v1::MaintenanceMark> put;
  std::vector<std::string> removed;
};

}  // namespace roceready
