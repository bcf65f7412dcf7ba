// SPDX-License-Identifier: Apache-2.0
// Tells what facts of this host may have changed, from the kernel's own notifications: rtnetlink
// (links, addresses, neighbours, DCB), devlink, the RDMA monitor where the kernel has one, uevents.
// They are then collected again, debounced (link/facts_poll.h). Messages that were lost are
// everything changed; a periodic collection is the net under it all. Needs no privilege.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/watch/changes.h"

namespace roceready::watch {

class FactEvents {
 public:
  // `changed` is called from the watch's thread, once for each batch of messages; it should only
  // post. An error where rtnetlink or uevents cannot be listened to.
  static absl::StatusOr<std::unique_ptr<FactEvents>> Start(
      std::function<void(const Changes&)> changed);
  // Returns when the thread has ended.
  virtual ~FactEvents() = default;

  // Why devlink or RDMA are not listened to; empty where they are.
  virtual std::vector<std::string> not_listened_to() const = 0;
};

}  // namespace roceready::watch
