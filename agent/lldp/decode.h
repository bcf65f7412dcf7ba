// SPDX-License-Identifier: Apache-2.0
// From the bytes of a frame to what its sender says. Pure.
#pragma once

#include <string>

#include "agent/lldp/lldpdu.h"
#include "agent/lldp/tlv.h"

namespace roceready::lldp {

// IEEE 802.1AB-2016, 8.3.
inline constexpr uint16_t kEtherType = 0x88cc;

// Everything behind the Ethernet header. kDataLoss with the byte when the envelope is wrong, or one
// of the three TLVs that every LLDPDU starts with (chassis, port, time to live) is missing, in
// another place, malformed or given twice: then there is no telling who said the rest. What is
// wrong in a later TLV makes that TLV unusable and no more (802.1AB-2016, 9.2.7.7).
absl::StatusOr<Lldpdu> DecodeLldpdu(ByteView bytes);

struct Frame {
  std::string destination;
  std::string source;
  Lldpdu said;
};
// An Ethernet frame, without a VLAN tag (the kernel takes it off). kInvalidArgument when it is not
// LLDP.
absl::StatusOr<Frame> DecodeFrame(ByteView frame);

}  // namespace roceready::lldp
