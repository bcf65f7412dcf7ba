// SPDX-License-Identifier: Apache-2.0
#include "agent/link/facts_poll.h"

#include <algorithm>
#include <utility>

namespace roceready::link {

FactsPoll::FactsPoll(EventLoop* loop, FactsSource* source, Duration interval,
                     std::function<void(const Collection&)> on_collected)
    : loop_(loop), source_(source), interval_(interval), on_collected_(std::move(on_collected)) {}

void FactsPoll::Start() { Begin(watch::Changes::Everything()); }

void FactsPoll::KernelEvent(const watch::Changes& changes) {
  if (pending_.empty()) pending_since_ = loop_->clock()->Now();
  pending_.Merge(changes);
  if (!running_since_) ScheduleNext();
}

void FactsPoll::CollectFresh(bool with_raw_counters, std::function<void()> done) {
  raw_wanted_ = raw_wanted_ || with_raw_counters;
  waiting_.push_back(std::move(done));
  if (!running_since_) Begin(watch::Changes::Everything());
}

void FactsPoll::Begin(const watch::Changes& changes) {
  if (timer_) loop_->Cancel(*timer_);
  timer_.reset();
  running_since_ = loop_->clock()->Now();
  for_events_ = !pending_.empty();
  pending_ = {};
  auto done = [this, loop = loop_, alive = std::weak_ptr(alive_)](Collection collection) {
    loop->PostControl([this, alive, collection = std::move(collection)] {
      if (!alive.expired()) Finish(collection);
    });
  };
  full_ = changes.everything();
  if (full_) {
    served_ = std::exchange(waiting_, {});
    source_->Collect(std::exchange(raw_wanted_, false), std::move(done));
  } else {
    source_->CollectChanged(changes, std::move(done));
  }
}

void FactsPoll::Finish(const Collection& collection) {
  const MonotonicTime now = loop_->clock()->Now();
  const Duration took = now - *running_since_;
  if (for_events_ || took >= kSlow) {
    rest_until_ = now + std::clamp<Duration>(took * kRestFactor, kShortestGap, kLongestGap);
  }
  if (full_) last_full_end_ = now;
  running_since_.reset();
  on_collected_(collection);
  for (const auto& done : std::exchange(served_, {})) done();
  if (!waiting_.empty()) {
    if (!running_since_) Begin(watch::Changes::Everything());
  } else if (!running_since_) {
    ScheduleNext();
  }
}

void FactsPoll::ScheduleNext() {
  if (timer_) loop_->Cancel(*timer_);
  const MonotonicTime periodic = last_full_end_ + interval_;
  const MonotonicTime event = std::max(pending_since_ + kDebounce, rest_until_);
  const bool for_event = !pending_.empty() && event < periodic;
  timer_ = loop_->RunAt(for_event ? event : periodic, [this, for_event] {
    timer_.reset();
    Begin(for_event ? watch::Changes(pending_) : watch::Changes::Everything());
  });
}

}  // namespace roceready::link
