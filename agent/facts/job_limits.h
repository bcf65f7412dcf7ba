// SPDX-License-Identifier: Apache-2.0
// What a job on this host may lock, open and hold: the limits of the process that starts jobs
// (slurmd, kubelet, containerd ...), for ours say nothing about theirs. Files only.
#pragma once

#include <string>
#include <string_view>

#include "agent/facts/host_root.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

// ABSENT where no job starter runs.
v1::JobLimits ReadJobLimits(const HostRoot& root);

// "mlx5_0 hca_handle=2 hca_object=max" lines of a control group's rdma.max, put together with the
// limits that are there already: the smaller one counts. kDataLoss for a line of another shape.
absl::Status MergeRdmaLimits(std::string_view text, v1::RdmaCgroup* cgroup);

}  // namespace roceready::facts
