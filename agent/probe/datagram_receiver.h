// SPDX-License-Identifier: Apache-2.0
// The passive side of a phase of datagrams: counts what comes of each flow, and how the network
// headers look that it comes with.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "agent/probe/datagram_end.h"
#include "agent/probe/phase.h"

namespace roceready::probe {

class DatagramReceiver : public PassiveSide {
 public:
  DatagramReceiver(const PhaseContext& context, DatagramEnd& end);

  // Posts two receives for each datagram: none is lost for want of one, though each came twice.
  absl::Status Arm() override;
  bool NeedsService() const override { return false; }
  void Serve() override {}
  v1::PhaseResult Close() override;

 private:
  // False when nothing came.
  bool Look();
  void Take(const Completion& completion);
  bool HasAll() const { return came_ == context_.phase.iterations(); }

  struct Seen {
    uint64_t packets = 0;
    uint32_t largest_ip_bytes = 0;
  };

  const PhaseContext& context_;
  DatagramEnd& end_;
  v1::PhaseResult result_;
  nanoseconds processor_before_{};
  std::vector<bool> has_come_;
  uint32_t came_ = 0;
  // The last one that came of each flow.
  std::vector<std::optional<uint32_t>> last_of_flow_;
  std::map<std::pair<v1::WireProtocol, uint8_t>, Seen> headers_;
};

}  // namespace roceready::probe
