// SPDX-License-Identifier: Apache-2.0
#include "proto/process/durations.h"

#include <algorithm>

namespace roceready {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
// Whole seconds that fit with room for the nanoseconds.
constexpr int64_t kMaxSeconds = INT64_MAX / kNanosPerSecond - 1;

}  // namespace

google::protobuf::Duration ToProto(Duration duration) {
  google::protobuf::Duration proto;
  proto.set_seconds(duration.count() / kNanosPerSecond);
  proto.set_nanos(static_cast<int32_t>(duration.count() % kNanosPerSecond));
  return proto;
}

google::protobuf::Timestamp ToProto(WallTime time) {
  const Duration since_epoch = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  google::protobuf::Timestamp proto;
  proto.set_seconds(seconds.count());
  proto.set_nanos(static_cast<int32_t>((since_epoch - seconds).count()));
  return proto;
}

Duration FromProto(const google::protobuf::Duration& duration) {
  const int64_t seconds = std::clamp<int64_t>(duration.seconds(), -kMaxSeconds, kMaxSeconds);
  const int64_t nanos =
      std::clamp<int64_t>(duration.nanos(), -(kNanosPerSecond - 1), kNanosPerSecond - 1);
  return Duration(seconds * kNanosPerSecond + nanos);
}

WallTime FromProto(const google::protobuf::Timestamp& time) {
  google::protobuf::Duration since_epoch;
  since_epoch.set_seconds(time.seconds());
  since_epoch.set_nanos(time.nanos());
  return WallTime(FromProto(since_epoch));
}

}  // namespace roceready
