// SPDX-License-Identifier: Apache-2.0
// When facts are collected: at start, at least every `interval`, soon after a kernel event, and at
// once when somebody needs facts read from now on. One collection at a time.
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
  // Events that never end must not keep the host busy with reading: the gap between collections is
  // kRestFactor times as long as the last one took, within these bounds.
  static constexpr int kRestFactor = 50;
  static constexpr Duration kShortestGap = std::chrono::seconds(1);
  static constexpr Duration kLongestGap = std::chrono::seconds(5);

  FactsPoll(EventLoop* loop, FactsSource* source, Duration interval,
            std::function<void(const Collection&)> on_collected);

  // Begins the first collection.
  void Start();
  // Something may have changed.
  void KernelEvent();
  // `done` runs after on_collected of a collection that began after this call.
  void CollectFresh(bool with_raw_counters, std::function<void()> done);

  // When the collection under way began, if one is.
  std::optional<MonotonicTime> running_since() const { return running_since_; }

 private:
  void Begin();
  void Finish(const Collection& collection);
  void ScheduleNext();

  EventLoop* const loop_;
  FactsSource* const source_;
  const Duration interval_;
  const std::function<void(const Collection&)> on_collected_;

  std::optional<MonotonicTime> running_since_;
  MonotonicTime last_end_{};
  Duration gap_ = kShortestGap;
  bool event_pending_ = false;
  bool raw_wanted_ = false;
  std::vector<std::function<void()>> waiting_;  // for the next collection
  std::vector<std::function<void()>> served_;   // by the one under way
  std::optional<EventLoop::TimerId> timer_;
  // Tasks posted by the source's threads find out by this that the poll is gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace roceready::link
