// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/lane.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace roceready::facts {

struct Lane::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  bool started = false;
  bool closed = false;
};

Lane::Lane() : state_(std::make_shared<State>()) {}

Lane::~Lane() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  state_->jobs.clear();
  state_->changed.notify_all();
}

void Lane::Run(Job job) {
  const std::lock_guard lock(state_->mutex);
  state_->jobs.push_back(std::move(job));
  state_->changed.notify_all();
  if (state_->started) return;
  state_->started = true;
  std::thread([state = state_] { Work(state); }).detach();
}

void Lane::Work(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  while (true) {
    state->changed.wait(lock, [&state] { return state->closed || !state->jobs.empty(); });
    if (state->closed) return;
    Job job = std::move(state->jobs.front());
    state->jobs.pop_front();
    lock.unlock();
    job();
    // What the job owns goes before the lock is taken again.
    job = nullptr;
    lock.lock();
  }
}

}  // namespace roceready::facts
