// SPDX-License-Identifier: Apache-2.0
// Kernel, distribution, driver modules (running and on disk), identity of the host. Files only.
#pragma once

#include <string>

#include "agent/facts/host_root.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

// `host` is the name in the agent's certificate. The machine id is derived from /etc/machine-id as
// systemd's application-specific ids are (HMAC-SHA256, UUID version 4), so that the raw id, which
// is to be kept secret, never leaves the host.
v1::HostIdentity ReadIdentity(const HostRoot& root, const std::string& host);

v1::KernelFacts ReadKernel(const HostRoot& root);

}  // namespace roceready::facts
