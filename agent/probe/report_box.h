// SPDX-License-Identifier: Apache-2.0
// EndReports that the controller has not accepted yet. Bounded: the oldest give way, with a count.
#pragma once

#include <roceready/v1/agent_link.pb.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace roceready::probe {

class ReportBox {
 public:
  explicit ReportBox(size_t room) : room_(room) {}

  void Add(const v1::EndReport& report) {
    if (reports_.size() >= room_) {
      reports_.pop_front();
      ++dropped_;
    }
    reports_.push_back(report);
  }
  void Accepted(const v1::EndReportAccepted& accepted) {
    std::erase_if(reports_, [&](const v1::EndReport& report) {
      return report.probe_id() == accepted.probe_id() && report.attempt() == accepted.attempt();
    });
  }
  // Oldest first.
  std::vector<v1::EndReport> reports() const { return {reports_.begin(), reports_.end()}; }
  uint64_t dropped() const { return dropped_; }

 private:
  const size_t room_;
  std::deque<v1::EndReport> reports_;
  uint64_t dropped_ = 0;
};

}  // namespace roceready::probe
