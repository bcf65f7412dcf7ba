// SPDX-License-Identifier: Apache-2.0
// One netlink message, and the request that asks for it: bytes with their header taken apart.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "proto/contract/errors.h"

namespace roceready::netlink {

using Bytes = std::vector<uint8_t>;
using ByteView = std::span<const uint8_t>;

// One received message: the fields of struct nlmsghdr (linux/netlink.h) and what follows them.
struct Message {
  uint16_t type = 0;
  uint16_t flags = 0;
  uint32_t sequence = 0;
  uint32_t port = 0;
  // Family header and attributes, without struct nlmsghdr.
  Bytes payload;

  bool operator==(const Message&) const = default;
};

// Takes one datagram apart into its messages. kDataLoss when a header is cut, a length is shorter
// than a header or longer than what is left.
absl::StatusOr<std::vector<Message>> SplitMessages(ByteView datagram);

// What NLMSG_ERROR or the end of a dump (NLMSG_DONE) says: 0 or a positive errno, and the text of
// the extended acknowledgement where the kernel gave one. kDataLoss when malformed.
struct KernelVerdict {
  int error = 0;
  std::string text;
};
absl::StatusOr<KernelVerdict> DecodeVerdict(const Message& message);

// A question to the kernel. The socket fills sequence and port; NLM_F_REQUEST and, where it is no
// dump, NLM_F_ACK are always set.
struct Request {
  uint16_t type = 0;
  // A list of all objects (NLM_F_DUMP) instead of one.
  bool dump = false;
  // Family header and attributes.
  Bytes payload;
  // What is asked, for error messages: "dcb of eth0".
  std::string what;

  bool operator==(const Request&) const = default;
};

// Builds the payload of a request: PutHeader first, then attributes; each is padded to 4 bytes.
class PayloadBuilder {
 public:
  // A family header as it lies in memory (struct dcbmsg, ifinfomsg, genlmsghdr ...).
  template <typename Header>
  PayloadBuilder& PutHeader(const Header& header) {
    static_assert(std::is_trivially_copyable_v<Header>);
    return Append(&header, sizeof(header));
  }
  PayloadBuilder& PutU8(uint16_t attribute, uint8_t value);
  PayloadBuilder& PutU32(uint16_t attribute, uint32_t value);
  // NUL-terminated, as the kernel's NLA_NUL_STRING wants it.
  PayloadBuilder& PutString(uint16_t attribute, std::string_view text);
  PayloadBuilder& PutBytes(uint16_t attribute, ByteView bytes);
  // A nest, with NLA_F_NESTED set.
  PayloadBuilder& PutNest(uint16_t attribute, const PayloadBuilder& inner);

  // The attributes of another builder, behind what is here.
  PayloadBuilder& Append(const PayloadBuilder& other);

  Bytes Take() { return std::move(bytes_); }

 private:
  PayloadBuilder& Append(const void* data, size_t size);
  PayloadBuilder& Put(uint16_t attribute, const void* data, size_t size);
  Bytes bytes_;
};

}  // namespace roceready::netlink
