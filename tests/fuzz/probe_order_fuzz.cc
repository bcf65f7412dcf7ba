// SPDX-License-Identifier: Apache-2.0
// Any bytes that are a probe's specification are refused, or ask for nothing outside their buffer
// and queues; any bytes that are a histogram are refused, or come back as they were.
#include <roceready/v1/probe.pb.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "agent/probe/connection.h"
#include "agent/probe/datagram.h"
#include "agent/probe/gid.h"
#include "agent/probe/limits.h"
#include "agent/probe/message_plan.h"
#include "proto/contract/latency_histogram.h"

namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

void CheckPlan(const roceready::v1::ProbeSpec& spec, const roceready::v1::ProbePhase& phase) {
  const roceready::probe::MessagePlan plan(spec, phase);
  Check(plan.covered_bytes() <= spec.buffer_bytes());
  Check(roceready::probe::ReceiveDepthOf(phase) <= 2 * roceready::probe::kMaxQueueDepth + 1);
  uint64_t messages = 0;
  for (uint32_t lane = 0; lane < plan.lanes(); ++lane) {
    messages += plan.MessagesOf(lane);
    for (uint64_t k = 0; k < std::min<uint64_t>(plan.MessagesOf(lane), 64); ++k) {
      const uint64_t message = plan.MessageOf(lane, k);
      Check(plan.LaneOf(message) == lane && plan.PlaceInLane(message) == k);
      Check(plan.OffsetOf(message) + plan.message_bytes() <= spec.buffer_bytes());
    }
  }
  Check(messages == plan.messages());
}

void CheckSlots(const roceready::v1::ProbeSpec& spec, const roceready::v1::ProbePhase& phase) {
  using namespace roceready::probe;
  const DatagramSlots slots(spec);
  Check(slots.OffsetOf(phase, 2 * phase.iterations() - 1) + kDatagramHeader +
            phase.message_bytes() <=
        slots.bytes());
  uint64_t datagrams = 0;
  for (uint32_t flow = 0; flow < spec.datagram_flows(); ++flow) {
    const uint32_t of_flow = DatagramsOfFlow(spec, phase, flow);
    Check(of_flow <= slots.SendsOf(phase.active_side()));
    datagrams += of_flow;
  }
  Check(datagrams == phase.iterations());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int length = static_cast<int>(size);
  roceready::v1::ProbeSpec spec;
  if (spec.ParseFromArray(data, length)) {
    const auto limits = roceready::probe::LimitsInForce({});
    for (const auto side : {roceready::v1::PROBE_SIDE_A, roceready::v1::PROBE_SIDE_B}) {
      if (roceready::probe::CheckSpec(spec, side, limits)) continue;
      for (const auto& phase : spec.phases()) {
        roceready::probe::IsDatagrams(phase) ? CheckSlots(spec, phase) : CheckPlan(spec, phase);
      }
    }
  }
  roceready::v1::LatencyHistogram message;
  if (message.ParseFromArray(data, length)) {
    const auto histogram = roceready::LatencyHistogram::FromProto(message);
    if (histogram.ok()) {
      message.DiscardUnknownFields();
      Check(histogram->ToProto().SerializeAsString() == message.SerializeAsString());
      Check(histogram->Quantile(0.5) <= histogram->Quantile(0.99));
    }
  }
  const auto gid =
      roceready::probe::ParseGid(std::string_view(reinterpret_cast<const char*>(data), size));
  if (gid.ok()) Check(*roceready::probe::ParseGid(roceready::probe::GidText(*gid)) == *gid);
  return 0;
}
