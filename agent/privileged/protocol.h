// SPDX-License-Identifier: Apache-2.0
// What may be asked of the privileged program, and how it is answered, on a SOCK_SEQPACKET Unix
// socket: one packet each way, then the connection ends. The list is fixed. A request names a net
// device by its index or a PCI function by its address; there are no paths in it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "proto/contract/errors.h"

namespace roceready::privileged {

inline constexpr const char* kSocketPath = "/run/roceready-agent-privileged.socket";
// For reasons: what an administrator does about a DENIED reading.
inline constexpr const char* kUnit = "roceready-agent-privileged.socket";

using Bytes = std::vector<uint8_t>;

enum class Kind : uint32_t {
  // Answered with a packet socket that hears LLDP on the net device (lldp/packet_socket.h).
  kLldpSocket = 1,
  // Answered with a line "NAME VALUE" for each known debugfs file that is there.
  kMlx5CongestionParameters = 2,
  kBnxtCongestionParameters = 3,
  // Answered with the bytes of the function's configuration space, as many as the kernel gives.
  kPciConfiguration = 4,
  // Answered with a packet socket that sees RoCE headers on the net device (wire/packet_socket.h).
  kRoceSocket = 5,
};

struct Request {
  Kind kind = Kind::kLldpSocket;
  uint32_t net_device_index = 0;
  // "0000:3b:00.0"
  std::string pci_address;

  bool operator==(const Request&) const = default;
};

// 0 or an errno, and a text: the answer, or what went wrong.
struct Reply {
  int32_t error = 0;
  std::string text;

  bool operator==(const Reply&) const = default;
};

inline constexpr size_t kRequestBytes = 32;
// The text is cut to this.
inline constexpr size_t kLongestText = 8192;
inline constexpr size_t kLongestReply = kLongestText + 16;

Bytes Encode(const Request& request);
Bytes Encode(const Reply& reply);
// kInvalidArgument for everything that Encode does not make: another size, kind, or an argument
// that does not belong to the kind.
absl::StatusOr<Request> DecodeRequest(std::span<const uint8_t> bytes);
absl::StatusOr<Reply> DecodeReply(std::span<const uint8_t> bytes);

}  // namespace roceready::privileged
