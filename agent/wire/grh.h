// SPDX-License-Identifier: Apache-2.0
// The network header that a device puts before the payload of a received datagram: the only header
// of RDMA that a host sees where its NIC moves packets past the kernel. Pure.
#pragma once

#include <roceready/v1/probe.pb.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace roceready::wire {

inline constexpr size_t kGrhBytes = 40;

struct NetworkHeader {
  v1::WireProtocol protocol = v1::WIRE_PROTOCOL_UNSPECIFIED;
  // DSCP << 2 | ECN.
  uint8_t traffic_class = 0;
  // With the header itself, as that says.
  uint32_t ip_bytes = 0;

  bool operator==(const NetworkHeader&) const = default;
};

// IPv4: the last 20 bytes are the header and the first 20 mean nothing; where these look like IPv6,
// the checksum tells. IPv6 and RoCEv1's GRH fill all, told apart by the next header. As Linux does
// it (ib_get_rdma_header_version and ib_get_net_type_by_grh, drivers/infiniband/core/verbs.c).
// None: nothing of these.
std::optional<NetworkHeader> DecodeNetworkHeader(std::span<const uint8_t, kGrhBytes> bytes);

}  // namespace roceready::wire
