// SPDX-License-Identifier: Apache-2.0
// google.protobuf.Duration and Timestamp <-> chrono.
#pragma once

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "proto/process/clock.h"

namespace roceready {

// Exact to the nanosecond.
google::protobuf::Duration ToProto(Duration duration);
google::protobuf::Timestamp ToProto(WallTime time);

// Values that do not fit into 64-bit nanoseconds (about 292 years) come out as the nearest that do:
// these come from the other end of a connection.
Duration FromProto(const google::protobuf::Duration& duration);
WallTime FromProto(const google::protobuf::Timestamp& time);

}  // namespace roceready
