// SPDX-License-Identifier: Apache-2.0
// When facts are collected: all of them at start, every `interval`, and at once when somebody needs
// facts read from now on; soon after a kernel event, what it concerns. One collection at a time.
// Of the event loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "agent/link/facts_source.h"
#include "proto/process/event_loop.h"

namespace roceready::link {

class FactsPoll {
 public:
  // A burst of kernel events (a driver load sends hundreds) becomes one collection.
  static constexpr Duration kDebounce = std::chrono::milliseconds(200);
  // Events that never end must not keep the host busy with reading: after a collection for events,
  // or one that took as long as kSlow, the next one for events is kRestFactor times as long away as
  // it took, within these bounds.
  static constexpr int kRestFactor = 50;
  static constexpr Duration kSlow = std::chrono::seconds(1);
  static constexpr Duration kShortestGap = std::chrono::seconds(1);
  static constexpr Duration kLongestGap = std::chrono::seconds(5);

  FactsPoll(EventLoop* loop, FactsSource* source, Duration interval,
            std::function<void(const Collection&)> on_collected);

  // Begins the first collection.
  void Start();
  // This may have changed.
  void KernelEvent(const watch::Changes& changes = watch::Changes::Everything());
  // `done` runs after on_collected of a collection that began after this call.
  void CollectFresh(bool with_raw_counters, std::function<void()> done);

  // When the collection under way began, if one is.
  std::optional<MonotonicTime> running_since() const { return running_since_; }

 private:
  void Begin(const watch::Changes& changes);
  void Finish(const Collection& collection);
  void ScheduleNext();

  EventLoop* const loop_;
  FactsSource* const source_;
  const Duration interval_;
  const std::function<void(const Collection&)> on_collected_;

  std::optional<MonotonicTime> running_since_;
  // Of the one under way: reads all; is for events, among others.
  bool full_ = false;
  bool for_events_ = false;
  // Of the last full collection: the interval counts from there.
  MonotonicTime last_full_end_{};
  // No collection for events before this.
  MonotonicTime rest_until_{};
  watch::Changes pending_;
  // When the first of the pending events came.
  MonotonicTime pending_since_{};
  bool raw_wanted_ = false;
  std::vector<std::function<void()>> waiting_;  // for the next collection
  std::vector<std::function<void()>> served_;   // by the one under way
  std::optional<EventLoop::TimerId> timer_;
  // Tasks posted by the source's threads find out by this that the poll is gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace roceready::link
