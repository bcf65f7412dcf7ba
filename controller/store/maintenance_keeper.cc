// SPDX-License-Identifier: Apache-2.0
#include "controller/store/maintenance_keeper.h"

#include <memory>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready {

void MaintenanceKeeper::Put(std::vector<v1::MaintenanceMark> marks, WallTime now, Done done) {
  Change(
      [marks = std::move(marks), now](Store* store) { return store->PutMaintenance(marks, now); },
      std::move(done));
}

void MaintenanceKeeper::Remove(std::vector<std::string> hosts, Done done) {
  Change([hosts = std::move(hosts)](Store* store) { return store->RemoveMaintenance(hosts); },
         std::move(done));
}

void MaintenanceKeeper::Change(std::function<absl::Status(Store*)> change, Done done) {
  if (waiting_ >= kMaxWaiting) {
    return done(MakeError(absl::StatusCode::kResourceExhausted,
                          fmt::format("{} changes wait for the disk: try again later", waiting_)));
  }
  ++waiting_;
  auto status = std::make_shared<absl::Status>();
  worker_->Run([status, store = store_, change = std::move(change)] { *status = change(store); },
               [this, status, done = std::move(done)] {
                 --waiting_;
                 done(*status);
               });
}

}  // namespace roceready
