// SPDX-License-Identifier: Apache-2.0
// The events of one audit, numbered from 1, for watchers that come late, come back or read slowly:
// each reads from the log at its own pace, so that no watcher has a queue of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "roceready/v1/fleet.pb.h"

namespace roceready {

class AuditLog {
 public:
  using WaiterId = std::uint64_t;

  explicit AuditLog(std::size_t capacity) : capacity_(capacity) {}

  // Numbers the event and wakes who waits. Beyond the capacity the oldest is dropped.
  void Add(v1::WatchAuditResponse event);
  // No event follows: whoever waits is woken, and nobody waits any more.
  void Close();
  // Instead of both, where the events themselves are lost: whatever a watcher has seen of them,
  // this one follows.
  void CloseWithLast(v1::WatchAuditResponse event);

  struct Batch {
    std::vector<v1::WatchAuditResponse> events;
    // Everything has been read and nothing follows.
    bool end = false;
  };
  // At most `limit` events after `after`. Where some of them are dropped already, the first event
  // is a note that says so.
  Batch Read(std::uint64_t after, std::size_t limit) const;

  // Calls once, when there is an event after `after` or the log is closed; at once if that is so.
  // 0 when it was called at once.
  WaiterId WhenMore(std::uint64_t after, std::function<void()> wake);
  void Forget(WaiterId waiter) { waiters_.erase(waiter); }

  std::uint64_t last() const { return last_; }
  bool closed() const { return closed_; }

 private:
  void Wake();

  std::size_t capacity_;
  std::deque<v1::WatchAuditResponse> events_;
  std::uint64_t last_ = 0;
  bool closed_ = false;
  bool only_last_ = false;
  WaiterId next_waiter_ = 1;
  std::map<WaiterId, std::function<void()>> waiters_;
};

}  // namespace roceready
