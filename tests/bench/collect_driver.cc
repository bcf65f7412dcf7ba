// SPDX-License-Identifier: Apache-2.0
// Collects the whole host a number of times in one process, as the service does, and prints the
// processor time that one collection took: `cpu_us=N wall_us=N collections=N`.
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "agent/facts/collector.h"
#include "agent/facts/sources.h"
#include "proto/process/event_loop.h"

namespace {

std::chrono::microseconds ProcessorTime() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace roceready;
  const int collections = argc > 1 ? std::atoi(argv[1]) : 10;
  if (collections <= 0) {
    std::cerr << "usage: collect_driver [COLLECTIONS]\n";
    return 64;
  }
  SystemClock clock;
  EventLoop loop(&clock);
  facts::Collector collector(&loop, facts::LiveSources(),
                             {.host = "bench", .deadline = std::chrono::seconds(30)});
  int done = -1;  // the first one does not count: libraries are loaded, threads are started
  int hanging = 0;
  auto cpu = ProcessorTime();
  auto began = clock.Now();
  const auto collect = [&](const auto& self) -> void {
    collector.Collect(false, [&](const facts::Collection& collection) {
      hanging += collection.hanging ? 1 : 0;
      if (++done == collections) return loop.Stop();
      if (done == 0) {
        cpu = ProcessorTime();
        began = clock.Now();
      }
      self(self);
    });
  };
  collect(collect);
  loop.Run();
  const auto wall = std::chrono::duration_cast<std::chrono::microseconds>(clock.Now() - began);
  std::cout << "cpu_us=" << (ProcessorTime() - cpu).count() / collections
            << " wall_us=" << wall.count() / collections << " collections=" << collections << "\n";
  return hanging == 0 ? 0 : 1;
}
