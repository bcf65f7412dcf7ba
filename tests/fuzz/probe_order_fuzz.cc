// SPDX-License-Identifier: Apache-2.0
// Any bytes that are a probe's specification are refused, or ask for nothing outside their buffer
// and queues; any bytes that are a histogram are refused, or come back as they were.
#include <roceready/v1/probe.pb.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "agent/probe/connection.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int length = static_cast<int>(size);
  roceready::v1::ProbeSpec spec;
  if (spec.ParseFromArray(data, length)) {
    const auto limits = roceready::probe::LimitsInForce({});
    for (const auto side : {roceready::v1::PROBE_SIDE_A, roceready::v1::PROBE_SIDE_B}) {
      if (roceready::probe::CheckSpec(spec, side, limits)) continue;
      for (const auto& phase : spec.phases()) CheckPlan(spec, phase);
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
