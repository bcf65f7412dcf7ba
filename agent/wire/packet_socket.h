// SPDX-License-Identifier: Apache-2.0
// A packet socket that shows the headers of RoCE packets on one net device, and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "proto/contract/errors.h"
#include "proto/process/descriptor.h"

namespace roceready::wire {

// Its filter lets through UDP port 4791 and EtherType 0x8915, both ways, each packet cut to its
// headers; it is there before the first packet and locked, so that whoever gets the socket cannot
// widen it. Needs CAP_NET_RAW (EPERM without; EAFNOSUPPORT where the service's confinement has no
// packet sockets). Never waits for RTNL.
absl::StatusOr<Descriptor> OpenPacketSocket(uint32_t net_device_index);

// Where packets come from; replaced in tests.
class Source {
 public:
  virtual ~Source() = default;
  struct Frame {
    uint16_t ether_type = 0;
    // False: sent by this host.
    bool received = false;
    // From the network header on.
    std::vector<uint8_t> bytes;
  };
  // None: nothing more has come so far. Never waits.
  virtual std::optional<Frame> Next() = 0;
  // Packets that did not fit into the socket since the last call.
  virtual uint64_t TakeMissed() = 0;
};

std::unique_ptr<Source> MakeSource(Descriptor packet_socket);

}  // namespace roceready::wire
