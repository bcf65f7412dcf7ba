// SPDX-License-Identifier: Apache-2.0
#include "proto/process/event_loop.h"

namespace roceready {

EventLoop::EventLoop(const Clock* clock, size_t capacity) : clock_(clock), capacity_(capacity) {}

EventLoop::~EventLoop() = default;

bool EventLoop::Post(Task task) {
  {
    std::lock_guard lock(mutex_);
    if (stopped_ || tasks_.size() >= capacity_) return false;
    tasks_.push_back(std::move(task));
  }
  work_.notify_one();
  return true;
}

void EventLoop::PostControl(Task task) {
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return;
    tasks_.push_back(std::move(task));
  }
  work_.notify_one();
}

EventLoop::TimerId EventLoop::RunAt(MonotonicTime when, Task task) {
  const TimerId id = next_timer_++;
  timers_.emplace(std::pair(when, id), std::move(task));
  timer_times_.emplace(id, when);
  return id;
}

bool EventLoop::Cancel(TimerId timer) {
  const auto found = timer_times_.find(timer);
  if (found == timer_times_.end()) return false;
  timers_.erase({found->second, timer});
  timer_times_.erase(found);
  return true;
}

void EventLoop::Run() {
  while (true) {
    {
      std::lock_guard lock(mutex_);
      if (stopped_) return;
    }
    // One of each in turn, so that a flood of tasks does not starve the timers.
    const bool ran_timer = RunOneTimer();
    const bool ran_task = RunOneTask();
    if (!ran_timer && !ran_task) WaitForWork();
  }
}

void EventLoop::Stop() {
  std::deque<Task> dropped;  // destroyed outside the lock: a task may own what posts again
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(tasks_);
  }
  work_.notify_all();
}

size_t EventLoop::RunPending() {
  size_t count = 0;
  while (true) {
    const size_t before = count;
    if (RunOneTimer()) ++count;
    if (RunOneTask()) ++count;
    if (count == before) return count;
  }
}

size_t EventLoop::waiting() const {
  std::lock_guard lock(mutex_);
  return tasks_.size();
}

std::optional<MonotonicTime> EventLoop::NextTimer() const {
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first.first;
}

bool EventLoop::RunOneTask() {
  Task task;
  {
    std::lock_guard lock(mutex_);
    if (tasks_.empty()) return false;
    task = std::move(tasks_.front());
    tasks_.pop_front();
  }
  task();
  return true;
}

bool EventLoop::RunOneTimer() {
  if (timers_.empty() || timers_.begin()->first.first > clock_->Now()) return false;
  const auto first = timers_.begin();
  const Task task = std::move(first->second);
  timer_times_.erase(first->first.second);
  timers_.erase(first);
  task();
  return true;
}

void EventLoop::WaitForWork() {
  const auto has_work = [this] { return stopped_ || !tasks_.empty(); };
  std::unique_lock lock(mutex_);
  if (const std::optional<MonotonicTime> next = NextTimer()) {
    work_.wait_until(lock, *next, has_work);
  } else {
    work_.wait(lock, has_work);
  }
}

}  // namespace roceready
