// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/audit_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace roceready {

void AuditLog::Add(v1::WatchAuditResponse event) {
  event.set_sequence(++last_);
  events_.push_back(std::move(event));
  if (events_.size() > capacity_) events_.pop_front();
  Wake();
}

void AuditLog::Close() {
  closed_ = true;
  Wake();
}

void AuditLog::CloseWithLast(v1::WatchAuditResponse event) {
  only_last_ = true;
  Add(std::move(event));
  Close();
}

void AuditLog::Wake() {
  for (const auto& [id, wake] : std::exchange(waiters_, {})) wake();
}

AuditLog::Batch AuditLog::Read(std::uint64_t after, std::size_t limit) const {
  Batch batch;
  if (only_last_) {
    batch.events = {events_.back()};
    batch.events.back().set_sequence(after + 1);
    batch.end = true;
    return batch;
  }
  const std::uint64_t oldest = last_ - events_.size() + 1;
  std::uint64_t next = after + 1;
  if (next < oldest && !events_.empty()) {
    v1::WatchAuditResponse& note = batch.events.emplace_back();
    note.set_sequence(oldest - 1);
    note.set_state(events_.front().state());
    note.set_note(fmt::format(
        "events {} to {} are no longer kept; the findings can be listed whole", next, oldest - 1));
    next = oldest;
  }
  for (; next <= last_ && batch.events.size() < limit; ++next) {
    batch.events.push_back(events_[next - oldest]);
  }
  batch.end = closed_ && next > last_;
  return batch;
}

AuditLog::WaiterId AuditLog::WhenMore(std::uint64_t after, std::function<void()> wake) {
  if (after < last_ || closed_) {
    wake();
    return 0;
  }
  const WaiterId id = next_waiter_++;
  waiters_[id] = std::move(wake);
  return id;
}

}  // namespace roceready
