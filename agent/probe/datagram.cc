// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/datagram.h"

#include <algorithm>
#include <cstring>

#include "agent/probe/limits.h"
#include "agent/probe/pattern.h"

namespace roceready::probe {
namespace {

struct Label {
  uint64_t seed;
  uint32_t number;
  // Both together make it unlikely that a damaged label is taken for another's.
  uint32_t inverse;
};
static_assert(sizeof(Label) == 16 && sizeof(Label) < kDatagramBytesLeast);

// Payloads begin on a cache line of their own.
constexpr uint64_t kAlignment = 64;

uint64_t SlotBytes(const v1::ProbePhase& phase) {
  return (kDatagramHeader + phase.message_bytes() + kAlignment - 1) / kAlignment * kAlignment;
}

uint64_t BytesOf(const v1::ProbePhase& phase) {
  return IsDatagrams(phase) ? SlotBytes(phase) * phase.iterations() * 2 : 0;
}

// No two datagrams are alike.
Pattern PatternOf(const v1::ProbePhase& phase, uint32_t datagram) {
  return {phase.pattern_seed() + datagram, phase.index()};
}

}  // namespace

bool IsDatagrams(const v1::ProbePhase& phase) {
  return phase.operation() == v1::PROBE_OPERATION_UD_PING;
}

DatagramSlots::DatagramSlots(const v1::ProbeSpec& spec) : spec_(spec) {
  for (const v1::ProbePhase& phase : spec.phases()) bytes_ += BytesOf(phase);
}

uint64_t DatagramSlots::OffsetOf(const v1::ProbePhase& phase, uint32_t slot) const {
  uint64_t offset = SlotBytes(phase) * slot;
  for (const v1::ProbePhase& before : spec_.phases()) {
    if (before.index() < phase.index()) offset += BytesOf(before);
  }
  return offset;
}

uint32_t DatagramSlots::SendsOf(v1::ProbeSide side) const {
  uint32_t sends = 0;
  for (const v1::ProbePhase& phase : spec_.phases()) {
    if (IsDatagrams(phase) && phase.active_side() == side) {
      sends += DatagramsOfFlow(spec_, phase, 0);
    }
  }
  return sends;
}

uint32_t DatagramSlots::ReceivesOf(v1::ProbeSide side) const {
  uint32_t receives = 0;
  for (const v1::ProbePhase& phase : spec_.phases()) {
    if (IsDatagrams(phase) && phase.active_side() != side) {
      receives += 2 * DatagramsOfFlow(spec_, phase, 0);
    }
  }
  return receives;
}

uint32_t FlowOf(const v1::ProbeSpec& spec, uint32_t datagram) {
  return datagram / kDatagramBurst % std::max(1U, spec.datagram_flows());
}

uint32_t DatagramsOfFlow(const v1::ProbeSpec& spec, const v1::ProbePhase& phase, uint32_t flow) {
  uint32_t count = 0;
  for (uint32_t datagram = 0; datagram < phase.iterations(); ++datagram) {
    count += FlowOf(spec, datagram) == flow ? 1 : 0;
  }
  return count;
}

void WriteDatagram(std::span<uint8_t> payload, const v1::ProbePhase& phase, uint32_t datagram) {
  const Label label{
      .seed = phase.pattern_seed() ^ phase.index(), .number = datagram, .inverse = ~datagram};
  std::memcpy(payload.data(), &label, sizeof(label));
  Fill(payload.subspan(sizeof(label)), PatternOf(phase, datagram));
}

std::optional<ReadDatagram> TellDatagram(std::span<const uint8_t> payload,
                                         const v1::ProbePhase& phase) {
  Label label;
  if (payload.size() < sizeof(label)) return std::nullopt;
  std::memcpy(&label, payload.data(), sizeof(label));
  if (label.seed != (phase.pattern_seed() ^ phase.index()) || label.inverse != ~label.number ||
      label.number >= phase.iterations()) {
    return std::nullopt;
  }
  const auto content = payload.subspan(sizeof(label));
  return ReadDatagram{.number = label.number,
                      .intact = payload.size() == phase.message_bytes() &&
                                !Compare(content, PatternOf(phase, label.number)).first_mismatch};
}

}  // namespace roceready::probe
