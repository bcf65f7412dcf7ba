// SPDX-License-Identifier: Apache-2.0
// All probed pairs, with what each of their ports is a part of: NIC, host, rail and the switch that
// it hears by LLDP.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "checks/blame/faults_found.h"
#include "checks/blame/suspect.h"
#include "checks/blame/symptom.h"
#include "checks/host_judgement.h"

namespace roceready::checks {

// A way with where it comes from.
struct MatrixWay {
  Way way;
  ShownWay shown;
  const ProbedPair* pair = nullptr;
};

class ProbeMatrix {
 public:
  // Everything in both outlives it.
  ProbeMatrix(std::span<const ProbedPair> pairs, std::span<const HostJudgementPtr> hosts);

  // What of the symptom is shown and not explained by itself.
  std::vector<MatrixWay> WaysOf(Symptom symptom, const FaultsFound& found) const;
  // `explained_by`: checks whose fault at a port makes it suspected.
  std::vector<Place> Places(const FaultsFound& found,
                            std::span<const std::string_view> explained_by) const;

  const ProbedPair& pair(size_t number) const { return pairs_[number]; }
  const PortKey& port(size_t place) const { return ports_[place]; }
  // "gpu7 ens2np0 (mlx5_1)".
  const std::string& label(size_t place) const { return labels_[place]; }
  const std::string& leaf(size_t number) const { return leaves_.names[number]; }
  const std::string& rail(size_t number) const { return rails_.names[number]; }
  // The name of its RDMA device, and its address on a rail. Empty: not known.
  const std::string& rdma_device(size_t place) const { return rdma_devices_[place]; }
  std::string AddressOf(size_t place) const;
  const std::string& adapter(size_t number) const { return adapters_.names[number]; }

 private:
  // Names as numbers, in the order in which they come.
  struct Numbers {
    std::map<std::string, size_t, std::less<>> by_name;
    std::vector<std::string> names;
    size_t Of(const std::string& name);
  };

  size_t AddPlace(const v1::ProbeEnd& end, const std::string& label);
  size_t RailOf(const ProbedPair& pair);

  std::span<const ProbedPair> pairs_;
  // By port and net device, and by port alone.
  std::map<std::pair<PortKey, std::string>, const RailPort*> rail_ports_;
  std::map<PortKey, const RailPort*> any_rail_port_;
  std::map<PortKey, std::string> names_;
  std::map<PortKey, size_t> by_port_;
  std::vector<PortKey> ports_;
  std::vector<std::string> labels_;
  std::vector<std::string> rdma_devices_;
  std::vector<const RailPort*> rows_;
  std::vector<Place> places_;
  Numbers hosts_, adapters_, leaves_, rails_;
  // Of each pair: its two places and its rail.
  struct PairPlaces {
    size_t a = 0, b = 0, rail = 0;
  };
  std::vector<PairPlaces> of_pair_;
};

}  // namespace roceready::checks
