// SPDX-License-Identifier: Apache-2.0
// Asks many hosts to read their facts anew and waits for them, for a while. Runs on the event loop.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controller/fleet/fleet.h"

namespace roceready {

class FreshFacts {
 public:
  struct Events {
    // A host has answered, or its agent is gone.
    std::function<void()> on_answer;
    // Once, after the last answer or when the patience is over: who has not answered. May destroy
    // this.
    std::function<void(std::set<std::string> late)> on_end;
  };

  // Not used once this is being destroyed, which may be after them.
  FreshFacts(EventLoop* loop, Fleet* fleet) : loop_(loop), fleet_(fleet) {}
  FreshFacts(const FreshFacts&) = delete;

  // Asks those that are connected, and returns how many: with none of them there is no event.
  // Once only.
  std::size_t Ask(const std::vector<std::string>& hosts, Duration patience, Events events);

  // As when the patience is over. Does nothing where nobody is awaited.
  void StopWaiting();

 private:
  void Answered(const std::string& host);
  void End();

  EventLoop* const loop_;
  Fleet* const fleet_;
  Events events_;
  EventLoop::TimerId timer_ = 0;
  std::map<std::string, Fleet::RefreshId> awaited_;
  // What comes once this is gone calls nothing.
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace roceready
