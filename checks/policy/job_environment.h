// SPDX-License-Identifier: Apache-2.0
// What a job will ask for, from the environment it is started with: NCCL_IB_* and UCX_* as the
// policy's `job:`. Pure: text in, no files.
#pragma once

#include <roceready/v1/policy.pb.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proto/yaml/problem.h"

namespace roceready {

struct JobEnvironment {
  // Only what the environment says.
  v1::JobSettings job;
  // "traffic_class" -> "job.env:3".
  std::map<std::string, std::string, std::less<>> sources;
  // What matters to RDMA and is not judged, for people: "NCCL_SOCKET_IFNAME of the job
  // (job.env:4)".
  std::vector<std::string> not_judged;
  // Values that no library would take, in the order of the file.
  std::vector<yaml::Problem> problems;

  bool ok() const { return problems.empty(); }
};

// Other variables are passed over; of one that stands twice the last counts, as in a shell. Where
// NCCL and UCX are told different things, NCCL's is judged.
JobEnvironment ReadJobEnvironment(std::string_view text, std::string_view file_name);

// Puts what the environment says in place of what a policy says; `sources` as EffectivePolicy has
// them.
void MergeJob(const JobEnvironment& environment, v1::JobSettings& job,
              std::map<std::string, std::string, std::less<>>& sources);

}  // namespace roceready
