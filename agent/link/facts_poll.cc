// SPDX-License-Identifier: Apache-2.0
#include "agent/link/facts_poll.h"

#include <algorithm>
#include <utility>

namespace roceready::link {

FactsPoll::FactsPoll(EventLoop* loop, FactsSource* source, Duration interval,
                     std::function<void(const Collection&)> on_collected)
    : loop_(loop), source_(source), interval_(interval), on_collected_(std::move(on_collected)) {}

void FactsPoll::Start() { Begin(); }

void FactsPoll::KernelEvent() {
  if (event_pending_) return;
  event_pending_ = true;
  if (!running_since_) ScheduleNext();
}

void FactsPoll::CollectFresh(bool with_raw_counters, std::function<void()> done) {
  raw_wanted_ = raw_wanted_ || with_raw_counters;
  waiting_.push_back(std::move(done));
  if (!running_since_) Begin();
}

void FactsPoll::Begin() {
  if (timer_) loop_->Cancel(*timer_);
  timer_.reset();
  running_since_ = loop_->clock()->Now();
  event_pending_ = false;
  served_ = std::exchange(waiting_, {});
  source_->Collect(std::exchange(raw_wanted_, false),
                   [this, loop = loop_, alive = std::weak_ptr(alive_)](Collection collection) {
                     loop->PostControl([this, alive, collection = std::move(collection)] {
                       if (!alive.expired()) Finish(collection);
                     });
                   });
}

void FactsPoll::Finish(const Collection& collection) {
  last_end_ = loop_->clock()->Now();
  gap_ =
      std::clamp<Duration>((last_end_ - *running_since_) * kRestFactor, kShortestGap, kLongestGap);
  running_since_.reset();
  on_collected_(collection);
  for (const auto& done : std::exchange(served_, {})) done();
  if (!waiting_.empty()) {
    Begin();
  } else if (!running_since_) {
    ScheduleNext();
  }
}

void FactsPoll::ScheduleNext() {
  if (timer_) loop_->Cancel(*timer_);
  const MonotonicTime now = loop_->clock()->Now();
  MonotonicTime when = last_end_ + interval_;
  if (event_pending_) when = std::min(when, std::max(now + kDebounce, last_end_ + gap_));
  timer_ = loop_->RunAt(when, [this] {
    timer_.reset();
    Begin();
  });
}

}  // namespace roceready::link
