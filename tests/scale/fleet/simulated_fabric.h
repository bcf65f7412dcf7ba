// SPDX-License-Identifier: Apache-2.0
// What probes show in a fabric that is not there: the faults of a mix, put into the words of both
// ends. The same for both, whoever asks and when.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "roceready/v1/probe.pb.h"
#include "tests/scale/blame/fabric.h"

namespace roceready::scale {

class SimulatedFabric {
 public:
  SimulatedFabric(const Mix& mix, size_t seed);

  const Mix& mix() const { return mix_; }
  // In the words of NameOf().
  const std::vector<Fault>& faults() const { return faults_; }

  // Each phase of the order with its result, as both ends report it.
  v1::ProbeResult ResultOf(const v1::ProbeSpec& spec) const;

 private:
  PairTruth TruthOf(const v1::ProbeSpec& spec) const;

  const Mix mix_;
  std::vector<Fault> faults_;
  std::map<std::string, size_t> rails_;  // by RDMA device id: the same on all hosts
};

}  // namespace roceready::scale
