// SPDX-License-Identifier: Apache-2.0
// Who else uses an adapter: a probe that fills the link never runs beside a job.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <optional>
#include <span>
#include <string>

#include "agent/probe/environment.h"
#include "agent/probe/limits.h"

namespace roceready::probe {

// Users that are neither this process, nor the connection services that every device has (GSI and
// SMI queue pairs), nor on the order's background list; one text per owner: "ib_write_bw (pid 17)".
std::vector<std::string> ForeignUsers(std::span<const QueuePairUser> users,
                                      const v1::ProbeSpec& spec, uint32_t own_pid);

// BUSY when the order says REFUSE and the device has foreign users, or when they cannot be listed.
std::optional<Refusal> CheckBusy(const Environment& environment, const v1::ProbeSpec& spec,
                                 const std::string& rdma_name);

}  // namespace roceready::probe
