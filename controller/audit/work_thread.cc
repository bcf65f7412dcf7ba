// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/work_thread.h"

#include <utility>

namespace roceready {

WorkThread::WorkThread(EventLoop* loop) : loop_(loop), thread_([this] { Loop(); }) {}

WorkThread::~WorkThread() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WorkThread::Run(std::function<void()> work, std::function<void()> done) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back({std::move(work), std::move(done)});
  }
  changed_.notify_one();
}

bool WorkThread::Drain(Duration patience) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, patience, [&] { return jobs_.empty() && !working_; });
}

void WorkThread::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    working_ = true;
    lock.unlock();
    job.work();
    loop_->PostControl(std::move(job.done));
    // What it holds may take long to give back: not while the loop waits for the mutex.
    job = {};
    lock.lock();
    working_ = false;
    if (jobs_.empty()) idle_.notify_all();
  }
}

}  // namespace roceready
