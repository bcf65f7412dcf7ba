// SPDX-License-Identifier: Apache-2.0
// `roceready why`: reads the error lines of a job, finds the two ends that they speak of, and names
// what is known to be wrong between them.
#pragma once

#include <string>
#include <vector>

#include "controller/cli/output.h"
#include "controller/why/explain.h"
#include "controller/why/side_by_side.h"
#include "controller/why/troubles.h"
#include "roceready/v1/config.pb.h"

namespace roceready::cli {

struct WhyOptions {
  std::string log;  // a file; "-": standard input
  std::string policy;
};

// One trouble with all that was found of it.
struct Explained {
  why::Trouble trouble;
  // With `as` empty where only the host is known; no host: nobody was found.
  v1::Place local, remote;
  std::vector<v1::Finding> causes;
  // Why nothing is said of an end: "nobody has 10.0.0.9", "192.168.122.1 fits 12 hosts: ...".
  std::string unclear;
  std::vector<why::Row> rows;
};

std::string RenderExplained(const std::vector<Explained>& all);

// The status is 0 where a cause is named for every trouble, 1 where there is not enough to tell,
// and 64 where the log has no line that tells of an RDMA error.
int WhyCommand(const v1::ClientConfig& config, const WhyOptions& options,
               const OutputOptions& output);

}  // namespace roceready::cli
