// SPDX-License-Identifier: Apache-2.0
// Ways as probes of a made-up fleet leave them, for tests of what is printed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roceready/v1/probe_report.pb.h"

namespace roceready::cli {

// From one host's mlx5_0 to another's; WRITE and READ alike. No bandwidth: it was refused.
inline v1::ProbeWay WayBetween(const std::string& from, const std::string& to,
                               std::optional<double> gbps, const std::string& device = "mlx5_0") {
  v1::ProbeWay way;
  way.set_probe_id(from < to ? "p-" + from + "-" + to : "p-" + to + "-" + from);
  way.mutable_from()->set_host(from);
  way.mutable_from()->set_rdma_device_id("pci:" + device);
  way.mutable_from()->set_port(1);
  way.mutable_to()->set_host(to);
  way.mutable_to()->set_rdma_device_id("pci:" + device);
  way.mutable_to()->set_port(1);
  way.set_from_device(device);
  way.set_to_device(device);
  for (v1::WayVerb* verb : {way.mutable_write(), way.mutable_read()}) {
    verb->set_status(gbps ? v1::CHECK_STATUS_PASS : v1::CHECK_STATUS_UNKNOWN);
    if (gbps) {
      verb->set_bandwidth_bps(*gbps * 1e9);
      verb->set_latency_p50_ns(2500);
      verb->set_latency_p99_ns(7500);
      verb->set_latency_max_ns(40'000);
    } else {
      verb->set_bandwidth_unknown("refused by " + to + ", BUSY");
      verb->set_latency_unknown("refused by " + to + ", BUSY");
    }
  }
  v1::WayLoss& loss = *way.mutable_loss();
  if (gbps) {
    loss.set_status(v1::CHECK_STATUS_PASS);
    loss.set_packets(24'000);
    loss.set_lost(0);
    loss.set_below(3.0 / 24'000);
  } else {
    loss.set_status(v1::CHECK_STATUS_UNKNOWN);
    loss.set_unknown("refused by " + to + ", BUSY");
  }
  return way;
}

inline std::vector<const v1::ProbeWay*> PointersTo(const std::vector<v1::ProbeWay>& ways) {
  std::vector<const v1::ProbeWay*> pointers;
  pointers.reserve(ways.size());
  for (const v1::ProbeWay& way : ways) pointers.push_back(&way);
  return pointers;
}

// Every way between the hosts PREFIX1 to PREFIXn.
inline std::vector<v1::ProbeWay> MeshOf(int hosts, double gbps, const std::string& prefix = "gpu",
                                        const std::string& device = "mlx5_0") {
  std::vector<v1::ProbeWay> ways;
  for (int from = 1; from <= hosts; ++from) {
    for (int to = 1; to <= hosts; ++to) {
      if (from == to) continue;
      ways.push_back(
          WayBetween(prefix + std::to_string(from), prefix + std::to_string(to), gbps, device));
    }
  }
  return ways;
}

}  // namespace roceready::cli
