// SPDX-License-Identifier: Apache-2.0
// The passive side of one phase: prepares its buffer, keeps receives posted, and verifies what
// WRITEs and SENDs left in the buffer once their closing messages have come.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <cstdint>
#include <vector>

#include "agent/probe/pattern.h"
#include "agent/probe/phase.h"

namespace roceready::probe {

class Responder : public PassiveSide {
 public:
  explicit Responder(const PhaseContext& context);

  absl::Status Arm() override;
  bool NeedsService() const override;
  // Takes what has come and posts receives again.
  void Serve() override;
  v1::PhaseResult Close() override;

 private:
  struct Lane {
    // Receives posted and used, the closing message's among them.
    uint64_t posted = 0;
    uint64_t used = 0;
    bool closed = false;
  };

  // A verified WRITE or SEND ends with a closing message on each queue pair.
  bool AwaitsClosing() const;
  // All that the phase will use of a lane, so that none is left when it is over.
  uint64_t ReceivesOf(uint32_t lane) const;
  // Posts so many more, but never more than the phase will use.
  absl::Status PostReceives(uint32_t lane, uint64_t count);
  void Account(const Completion& completion);
  bool AllClosed() const;
  bool AllUsed() const;
  void Verify();

  const PhaseContext& context_;
  Connection& connection_;
  const MessagePlan plan_;
  const Pattern pattern_;
  std::vector<Lane> lanes_;
  uint64_t messages_received_ = 0;
  nanoseconds processor_before_{};
  v1::PhaseResult result_;
};

}  // namespace roceready::probe
