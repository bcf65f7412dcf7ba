// SPDX-License-Identifier: Apache-2.0
// What the kernel itself carries over RDMA: NVMe over fabrics, NFS, SCSI, and loaded modules that
// speak RDMA. They send without any process being seen. Files only; no server is asked.
#pragma once

#include <string_view>

#include "agent/facts/host_root.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

v1::KernelUsers ReadKernelUsers(const HostRoot& root);

// The mounts of /proc/mounts that go over RDMA ("proto=rdma" among the options).
void AddNfsMounts(std::string_view mounts, v1::KernelUsers* users);

}  // namespace roceready::facts
