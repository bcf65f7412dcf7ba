// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/wire_watch.h"

#include "agent/facts/readings.h"
#include "agent/probe/gid.h"
#include "agent/wire/packet.h"

namespace roceready::probe {
namespace {

constexpr v1::Source kSource = v1::SOURCE_PACKET_SOCKET;

std::set<uint32_t> QueuePairsOf(const v1::ProbeEndpoint& endpoint) {
  std::set<uint32_t> numbers;
  for (const v1::QueuePairAddress& one : endpoint.queue_pairs()) numbers.insert(one.qp_number());
  return numbers;
}

// Not a GID: nobody has it as an address.
wire::Address AddressOf(const v1::ProbeEndpoint& endpoint) {
  return ParseGid(endpoint.gid()).value_or(GidBytes{});
}

}  // namespace

WireWatch::WireWatch(const Environment& environment, const v1::ProbeEnd& end,
                     const v1::ProbeEndpoint& own, const v1::ProbeEndpoint& peer)
    : view_(QueuePairsOf(own), QueuePairsOf(peer), AddressOf(peer)) {
  Open(environment, end);
}

void WireWatch::Open(const Environment& environment, const v1::ProbeEnd& end) {
  if (environment.wire == nullptr) {
    opened_ = facts::MissingReading(v1::OUTCOME_SKIPPED, kSource,
                                    "switched off in the agent's configuration (probes.wire)");
    return;
  }
  const absl::StatusOr<NetDeviceNow> net = environment.devices->NetDevice(end.net_device_id());
  if (!net.ok()) {
    opened_ = facts::ReadingOf(net.status(), kSource);
    return;
  }
  absl::StatusOr<std::unique_ptr<wire::Source>> source = environment.wire->Open(net->index);
  opened_ = facts::ReadingOf(source.status(), kSource, facts::kSeeRocePackets);
  if (source.ok()) source_ = *std::move(source);
}

v1::WireView WireWatch::Look() {
  v1::WireView seen;
  if (source_ == nullptr) {
    *seen.mutable_reading() = opened_;
    return seen;
  }
  while (const auto frame = source_->Next()) {
    const auto packet = wire::DecodePacket(frame->ether_type, frame->bytes);
    if (packet) view_.Add(*packet, frame->received);
  }
  missed_ += source_->TakeMissed();
  seen.set_missed(missed_);
  view_.AddTo(seen);
  *seen.mutable_reading() =
      view_.empty()
          ? facts::MissingReading(v1::OUTCOME_UNSUPPORTED, kSource,
                                  "no packet of this probe passed the kernel: the device moves "
                                  "RDMA past it, or none was sent")
          : facts::OkReading(kSource);
  return seen;
}

}  // namespace roceready::probe
