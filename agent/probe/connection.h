// SPDX-License-Identifier: Apache-2.0
// One side's verbs objects for one probe, from opening the device to queue pairs in RTS.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/probe/datagram_end.h"
#include "agent/probe/environment.h"
#include "agent/probe/limits.h"
#include "agent/probe/verbs.h"

namespace roceready::probe {

// Messages that `phase` has on their way per queue pair.
uint32_t QueueDepthOf(const v1::ProbePhase& phase);
// Each message uses a receive of the passive side.
bool UsesReceives(v1::ProbeOperation operation);
// Receives that the passive side keeps posted per queue pair, closing message included.
uint32_t ReceiveDepthOf(const v1::ProbePhase& phase);

class Connection {
 public:
  Connection(const Environment& environment, const v1::ProbeSpec& spec, v1::ProbeSide side,
             std::string rdma_name);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Opens the device, chooses the GID and makes everything up to INIT.
  std::optional<Refusal> Prepare(std::shared_ptr<ResourceCount> count);
  // To RTS with the peer's queue pairs. An error names the call and carries its errno.
  absl::Status Connect(const v1::ProbeEndpoint& peer);

  // What the peer needs; valid once prepared.
  const v1::ProbeEndpoint& endpoint() const { return endpoint_; }
  const v1::ProbeEndpoint& peer() const { return peer_; }

  bool connected() const { return connected_; }
  // After Fail() the queue pairs carry nothing any more.
  bool alive() const { return connected_ && !failed_; }
  void Fail();

  // Receives are posted that no message has used.
  bool receives_left() const { return receives_left_; }
  void set_receives_left(bool left) { receives_left_ = left; }

  std::span<uint8_t> buffer() { return memory_->bytes(); }
  // Null where there are none, and `why_no_datagrams` says so: what a device cannot do with
  // datagrams is no hindrance to the rest.
  DatagramEnd* datagrams() { return datagrams_.get(); }
  const std::optional<std::string>& why_no_datagrams() const { return why_no_datagrams_; }

  CompletionQueue& completions() { return *completions_; }
  QueuePair& queue_pair(uint32_t lane) { return *queue_pairs_[lane]; }
  uint32_t lanes() const { return static_cast<uint32_t>(queue_pairs_.size()); }

 private:
  std::optional<Refusal> ChoosePort(const DeviceCapabilities& capabilities);
  std::optional<Refusal> ChooseGidRow();
  absl::Status MakeObjects(const DeviceCapabilities& capabilities);
  void MakeDatagrams(const DeviceCapabilities& capabilities);
  void GiveUpDatagrams(const absl::Status& status);

  const Environment& environment_;
  const v1::ProbeSpec& spec_;
  const v1::ProbeSide side_;
  const v1::ProbeEnd& end_;
  const std::string rdma_name_;

  // In the order of making; destroyed in the reverse.
  std::unique_ptr<Device> device_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<CompletionQueue> completions_;
  std::vector<std::unique_ptr<QueuePair>> queue_pairs_;
  std::unique_ptr<DatagramEnd> datagrams_;

  std::optional<std::string> why_no_datagrams_;
  DeviceCapabilities capabilities_;
  v1::ProbeEndpoint endpoint_;
  v1::ProbeEndpoint peer_;
  bool connected_ = false;
  bool failed_ = false;
  bool receives_left_ = false;
};

// The refusal that a failed call on this host amounts to.
Refusal RefusalOf(const absl::Status& status);

}  // namespace roceready::probe
