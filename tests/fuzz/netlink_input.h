// SPDX-License-Identifier: Apache-2.0
// How the netlink fuzz targets read their input: byte 0 picks the decoder, bytes 1-2 are the
// message type (little endian), the rest is the payload.
#pragma once

#include <cstdlib>
#include <optional>

#include "agent/netlink/message.h"

namespace roceready::netlink {

struct FuzzInput {
  uint8_t decoder = 0;
  Message message;
};

inline std::optional<FuzzInput> ReadFuzzInput(const uint8_t* data, size_t size) {
  if (size < 3) return std::nullopt;
  return FuzzInput{.decoder = data[0],
                   .message = {.type = static_cast<uint16_t>(data[1] | data[2] << 8),
                               .payload = Bytes(data + 3, data + size)}};
}

// What must hold whatever the input is.
inline void Require(bool holds) {
  if (!holds) std::abort();
}

// Malformed bytes are always kDataLoss, with a message.
template <typename Answer>
void RequireDataLossUnlessOk(const absl::StatusOr<Answer>& answer) {
  if (answer.ok()) return;
  Require(answer.status().code() == absl::StatusCode::kDataLoss);
  Require(!answer.status().message().empty());
}

}  // namespace roceready::netlink
