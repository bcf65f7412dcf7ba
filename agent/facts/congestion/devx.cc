// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/congestion/devx.h"

#include "agent/facts/readings.h"

namespace roceready::facts {
namespace {

constexpr uint16_t kQueryCongStatus = 0x822;

v1::PriorityMask MaskOf(uint8_t priorities) {
  v1::PriorityMask mask;
  *mask.mutable_reading() = OkReading(v1::SOURCE_DEVX);
  for (uint32_t priority = 0; priority < 8; ++priority) {
    if ((priorities >> priority & 1u) != 0) mask.add_enabled_priorities(priority);
  }
  return mask;
}

}  // namespace

CongestionCommand QueryCongestionStatus(CongestionProtocol protocol, uint8_t priority) {
  CongestionCommand command{};
  command[0] = kQueryCongStatus >> 8;
  command[1] = kQueryCongStatus & 0xff;
  command[11] = static_cast<uint8_t>((priority & 0x0f) << 4 | static_cast<uint8_t>(protocol));
  return command;
}

absl::StatusOr<bool> DecodeCongestionStatus(std::span<const uint8_t> answer) {
  if (answer.size() != kCongestionCommandBytes) {
    return DataLoss("congestion status of {} bytes", answer.size());
  }
  if (answer[0] != 0) {
    const uint32_t syndrome =
        static_cast<uint32_t>(answer[4]) << 24 | answer[5] << 16 | answer[6] << 8 | answer[7];
    return Unimplemented("the firmware refused: status {}, syndrome 0x{:x}", answer[0], syndrome);
  }
  return (answer[12] & 0x80u) != 0;
}

void AddCongestionPoints(const absl::StatusOr<VerbsCongestionPoints>& points,
                         v1::CongestionControl* congestion) {
  if (points.ok()) {
    *congestion->mutable_notification_point() = MaskOf(points->notification);
    *congestion->mutable_reaction_point() = MaskOf(points->reaction);
    return;
  }
  for (v1::PriorityMask* mask :
       {congestion->mutable_notification_point(), congestion->mutable_reaction_point()}) {
    mask->mutable_reading()->mutable_detail()->append(
        fmt::format("; DEVX: {}", Message(points.status())));
  }
}

}  // namespace roceready::facts
