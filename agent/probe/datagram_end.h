// SPDX-License-Identifier: Apache-2.0
// One side's verbs objects for the datagrams of a probe: a queue pair a flow, with memory and a
// completion queue of their own, so that nothing of them is in the way of the connected ones.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <memory>
#include <optional>
#include <vector>

#include "agent/probe/datagram.h"
#include "agent/probe/verbs.h"

namespace roceready::probe {

class DatagramEnd {
 public:
  // Up to INIT. kResourceExhausted where the device does not hold as much as is ordered.
  static absl::StatusOr<std::unique_ptr<DatagramEnd>> Make(Device& device,
                                                           const DeviceCapabilities& capabilities,
                                                           const v1::ProbeSpec& spec,
                                                           v1::ProbeSide side);
  // Flow i to the i-th of the peer's queue pairs, with a flow label of its own; all else as in
  // `path`.
  absl::Status Connect(Path path, const v1::ProbeEndpoint& peer);

  uint32_t flows() const { return static_cast<uint32_t>(queue_pairs_.size()); }
  QueuePair& queue_pair(uint32_t flow) { return *queue_pairs_[flow]; }
  CompletionQueue& completions() { return *completions_; }
  const DatagramSlots& slots() const { return slots_; }
  // By its number; none: of none of them.
  std::optional<uint32_t> FlowOf(uint32_t queue_pair) const;
  // Header and payload of a datagram of the phase, at its offset.
  std::span<uint8_t> SlotAt(const v1::ProbePhase& phase, uint64_t offset);

 private:
  explicit DatagramEnd(const v1::ProbeSpec& spec) : slots_(spec) {}

  const DatagramSlots slots_;
  // In the order of making; destroyed in the reverse.
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<CompletionQueue> completions_;
  std::vector<std::unique_ptr<QueuePair>> queue_pairs_;
};

}  // namespace roceready::probe
