// SPDX-License-Identifier: Apache-2.0
// The active side of one phase: posts the messages, times them, and verifies what READs brought.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <optional>
#include <vector>

#include "agent/probe/phase.h"
#include "proto/contract/latency_histogram.h"

namespace roceready::probe {

class Initiator : public ActiveSide {
 public:
  explicit Initiator(const PhaseContext& context);

  // Fills the source of verified WRITEs, or spoils the target of verified READs.
  void Arm() override;
  // Runs to the end, an error, the deadline or the session's end. Unless all messages completed the
  // connection is failed and drained afterwards.
  v1::PhaseResult Run() override;

 private:
  // One queue pair's share. Places count its own messages from 0.
  struct Lane {
    uint64_t posted = 0;
    // All before this place have completed, in success or not.
    uint64_t completed = 0;
    uint64_t succeeded = 0;
    // The last one posted will complete by itself.
    bool tail_signaled = true;
  };

  void MeasureLatency();
  void Stream();
  // Posts as much as the lane's depth and the rate allow; false when nothing could be posted.
  bool Feed(uint32_t lane);
  // Waits out the rate limits for the next `messages`; false when the phase should end first.
  bool TakeRate(uint64_t messages);
  // Handles what has completed, waiting for it or only looking; false when the phase cannot go on.
  bool Collect();
  bool Look();
  bool Account(std::span<const Completion> completions);
  // The closing message of verified writes on each queue pair.
  void Close();
  // Compares what READs brought; reads a wrong slot once more before it counts.
  void VerifyReads();
  void ReadAgain(uint64_t slot);
  void Abandon();

  bool Failed() const { return result_.outcome() != v1::PHASE_OUTCOME_DONE; }
  // Everything posted has completed, or everything ordered has been posted.
  bool AllDone() const;
  bool AllPosted() const;
  // The phase's deadline has come or the session is ending.
  bool IsOver(TimePoint now) const;
  SendRequest RequestFor(uint64_t message, bool signaled) const;

  const PhaseContext& context_;
  Connection& connection_;
  const MessagePlan plan_;
  const uint32_t depth_;
  const uint32_t signal_interval_;
  CompletionWait wait_;
  std::vector<Lane> lanes_;
  v1::PhaseResult result_;
  LatencyHistogram latency_;
  TimePoint started_{};
  TimePoint last_completion_{};
  // When the ordered duration is over; the far end of time without one.
  TimePoint time_up_{};
  bool stopping_ = false;
};

}  // namespace roceready::probe
