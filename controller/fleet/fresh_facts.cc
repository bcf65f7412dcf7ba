// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/fresh_facts.h"

#include <utility>

namespace roceready {

std::size_t FreshFacts::Ask(const std::vector<std::string>& hosts, Duration patience,
                            Events events) {
  events_ = std::move(events);
  for (const std::string& host : hosts) {
    const Fleet::RefreshId refresh = fleet_->Refresh(
        host, [this, host, alive = std::weak_ptr<const bool>(alive_)](Fleet::RefreshEnd) {
          if (!alive.expired()) Answered(host);
        });
    if (refresh != 0) awaited_[host] = refresh;
  }
  if (awaited_.empty()) return 0;
  timer_ = loop_->RunAfter(patience, [this, alive = std::weak_ptr<const bool>(alive_)] {
    if (!alive.expired()) End();
  });
  return awaited_.size();
}

void FreshFacts::StopWaiting() {
  if (awaited_.empty()) return;
  loop_->Cancel(timer_);
  End();
}

void FreshFacts::Answered(const std::string& host) {
  if (awaited_.erase(host) == 0) return;  // it came too late
  if (events_.on_answer) events_.on_answer();
  if (!awaited_.empty()) return;
  loop_->Cancel(timer_);
  End();
}

void FreshFacts::End() {
  std::set<std::string> late;
  for (const auto& [host, refresh] : awaited_) {
    fleet_->ForgetRefresh(host, refresh);
    late.insert(host);
  }
  awaited_.clear();
  std::exchange(events_.on_end, nullptr)(std::move(late));
}

}  // namespace roceready
