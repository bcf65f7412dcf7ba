// SPDX-License-Identifier: Apache-2.0
// Tells that facts of this host may have changed: a link, an address, a DCB setting (rtnetlink
// groups), a device or driver that came or went (uevents). What changed is not said: facts are then
// collected again, debounced. A periodic collection is the net under it, so lost messages do no
// harm. Needs no privilege.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string_view>

namespace roceready::watch {

// Whether a uevent (uverbs_watch.h) is of a kind of device that facts speak of.
bool ConcernsFacts(std::string_view uevent);

class FactEvents {
 public:
  // `changed` is called from the watch's thread, once for each batch of messages; it should only
  // post.
  static absl::StatusOr<std::unique_ptr<FactEvents>> Start(std::function<void()> changed);
  // Returns when the thread has ended.
  virtual ~FactEvents() = default;
};

}  // namespace roceready::watch
