// SPDX-License-Identifier: Apache-2.0
// The active side of a phase of datagrams: sends each once, in its order, in bursts with a pause
// after each.
#pragma once

#include <roceready/v1/probe.pb.h>

#include "agent/probe/datagram_end.h"
#include "agent/probe/phase.h"

namespace roceready::probe {

class DatagramSender : public ActiveSide {
 public:
  DatagramSender(const PhaseContext& context, DatagramEnd& end);

  void Arm() override;
  v1::PhaseResult Run() override;

 private:
  // False when the phase should end first.
  bool AwaitTurn(uint32_t datagram);
  absl::Status Send(uint32_t datagram);
  // Takes completions until at most `outstanding` are left; false when the phase cannot go on.
  bool Collect(uint64_t outstanding);

  const PhaseContext& context_;
  DatagramEnd& end_;
  v1::PhaseResult result_;
  TimePoint started_{};
  TimePoint last_sent_{};
  uint64_t posted_ = 0;
  uint64_t completed_ = 0;
};

}  // namespace roceready::probe
