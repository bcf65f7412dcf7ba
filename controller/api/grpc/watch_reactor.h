// SPDX-License-Identifier: Apache-2.0
// One watcher of an audit: reads the audit's log one event at a time, as fast as its client takes
// them.
#pragma once

#include <absl/status/status.h>
#include <grpcpp/grpcpp.h>

#include "controller/api/fleet_api.h"
#include "proto/process/event_loop.h"

namespace roceready {

grpc::Status GrpcStatusOf(const absl::Status& status);

// The reactor deletes itself when the call is over.
grpc::ServerWriteReactor<v1::WatchAuditResponse>* StartWatch(EventLoop* loop, FleetApi* api,
                                                             Caller caller,
                                                             const v1::WatchAuditRequest& request);

}  // namespace roceready
