// SPDX-License-Identifier: Apache-2.0
// Any bytes are no RoCE packet, or one whose values its fields can hold. The first two bytes are
// the EtherType; what follows may stand before a received datagram as well.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "agent/wire/grh.h"
#include "agent/wire/view.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready;
  if (size < 2) return 0;
  if (size >= 2 + wire::kGrhBytes) {
    const auto header = wire::DecodeNetworkHeader(
        std::span<const uint8_t, wire::kGrhBytes>(data + 2, wire::kGrhBytes));
    if (header && header->protocol == v1::WIRE_PROTOCOL_UNSPECIFIED) std::abort();
  }
  const auto ether_type = static_cast<uint16_t>(data[0] << 8 | data[1]);
  const auto packet = wire::DecodePacket(ether_type, {data + 2, size - 2});
  if (!packet) return 0;
  if (packet->destination_qp > 0xffffff || packet->role == v1::WIRE_ROLE_UNSPECIFIED) std::abort();
  const bool is_v1 = packet->protocol == v1::WIRE_PROTOCOL_ROCE_V1;
  if (is_v1 != (ether_type == wire::kRoceV1EtherType)) std::abort();
  wire::View view({packet->destination_qp}, {}, packet->source);
  view.Add(*packet, /*received=*/true);
  v1::WireView seen;
  view.AddTo(seen);
  if (seen.packets_size() != 1 || seen.packets(0).packets() != 1) std::abort();
  return 0;
}
