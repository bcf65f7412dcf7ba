// SPDX-License-Identifier: Apache-2.0
// The archive of marks of maintenance: does with the store, on the store's thread, what the event
// loop asks for. What the disk does not take is refused: nobody believes a host to be set aside
// that comes back with a restart.
#pragma once

#include "controller/audit/work_thread.h"
#include "controller/fleet/maintenance_archive.h"
#include "controller/store/store.h"

namespace roceready {

class MaintenanceKeeper final : public MaintenanceArchive {
 public:
  // Changes that wait for the disk; a further one is refused.
  static constexpr std::size_t kMaxWaiting = 64;

  // Not owned; both outlive the keeper, and the worker's thread has ended before `store` does.
  MaintenanceKeeper(Worker* worker, Store* store) : worker_(worker), store_(store) {}

  void Put(std::vector<v1::MaintenanceMark> marks, WallTime now, Done done) override;
  void Remove(std::vector<std::string> hosts, Done done) override;

 private:
  void Change(std::function<absl::Status(Store*)> change, Done done);

  Worker* const worker_;
  Store* const store_;
  std::size_t waiting_ = 0;
};

}  // namespace roceready
