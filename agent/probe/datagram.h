// SPDX-License-Identifier: Apache-2.0
// Which datagram of a phase goes over which flow, where it lies in memory, and what is in it. Both
// ends work it out alone.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <cstdint>
#include <optional>
#include <span>

#include "agent/probe/verbs.h"

namespace roceready::probe {

// The seed and the number of a datagram, before its pattern.
constexpr uint32_t kDatagramBytesLeast = 64;

// So many of one flow follow each other at once, for only then can one overtake another; then come
// those of the next flow, so that all flows meet the same.
constexpr uint32_t kDatagramBurst = 8;

bool IsDatagrams(const v1::ProbePhase& phase);
uint32_t FlowOf(const v1::ProbeSpec& spec, uint32_t datagram);

// Every datagram of all phases has a slot of its own, header and payload, and a second one for what
// comes twice: it would take the receive of another.
class DatagramSlots {
 public:
  explicit DatagramSlots(const v1::ProbeSpec& spec);

  uint64_t bytes() const { return bytes_; }
  // Of a phase's datagram, or, from `iterations` on, the second ones.
  uint64_t OffsetOf(const v1::ProbePhase& phase, uint32_t slot) const;
  // At most so many requests of one flow a side posts in all phases: to send, or to receive.
  uint32_t SendsOf(v1::ProbeSide side) const;
  uint32_t ReceivesOf(v1::ProbeSide side) const;

 private:
  const v1::ProbeSpec& spec_;
  uint64_t bytes_ = 0;
};

// Of a phase, what goes over one flow.
uint32_t DatagramsOfFlow(const v1::ProbeSpec& spec, const v1::ProbePhase& phase, uint32_t flow);

// `payload` has the phase's message_bytes.
void WriteDatagram(std::span<uint8_t> payload, const v1::ProbePhase& phase, uint32_t datagram);

struct ReadDatagram {
  uint32_t number = 0;
  bool intact = false;
};
// None: of another phase, or too damaged to tell.
std::optional<ReadDatagram> TellDatagram(std::span<const uint8_t> payload,
                                         const v1::ProbePhase& phase);

}  // namespace roceready::probe
