// SPDX-License-Identifier: Apache-2.0
// Strict reading of netlink attributes: type, length, payload, padded to 4 bytes (linux/netlink.h
// struct nlattr). What is missing reads as nullopt; what is malformed (cut, longer than its parent,
// wrong size for its type, a single-valued attribute given twice) is an error and never a value.
//
// The first error stays in the status that the caller gave, so that a decoder reads all its fields
// in a row and looks once:
//
//   absl::Status malformed;
//   Attributes attributes(payload, "link", malformed);
//   link.name = attributes.String(IFLA_IFNAME);
//   link.mtu_bytes = attributes.U32(IFLA_MTU);
//   RETURN_IF_ERROR(malformed);
#pragma once

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/netlink/message.h"

namespace roceready::netlink {

struct Attribute {
  // Without NLA_F_NESTED and NLA_F_NET_BYTEORDER.
  uint16_t type = 0;
  ByteView payload;
};

class Attributes {
 public:
  // `bytes` and `malformed` must outlive the object; `where` names the level in error messages.
  Attributes(ByteView bytes, std::string_view where, absl::Status& malformed);

  // Numbers in host byte order; the payload must have exactly that size.
  std::optional<uint8_t> U8(uint16_t type) { return Number<uint8_t>(type); }
  std::optional<uint16_t> U16(uint16_t type) { return Number<uint16_t>(type); }
  std::optional<uint32_t> U32(uint16_t type) { return Number<uint32_t>(type); }
  std::optional<uint64_t> U64(uint16_t type) { return Number<uint64_t>(type); }
  // In network byte order on the wire.
  std::optional<uint16_t> BigEndian16(uint16_t type);
  // A u8 that may only be 0 or 1.
  std::optional<bool> Bool(uint16_t type);
  // Up to the terminating NUL (which may be missing); bytes after a NUL are malformed.
  std::optional<std::string> String(uint16_t type);
  // The payload as it is.
  std::optional<ByteView> Raw(uint16_t type);
  // Present or not; must be empty.
  bool Flag(uint16_t type);
  std::optional<Attributes> Nest(uint16_t type, std::string_view where);

  // A kernel struct of exactly this size, copied out (attributes are only 4-byte aligned).
  template <typename Struct>
  std::optional<Struct> Copy(uint16_t type) {
    static_assert(std::is_trivially_copyable_v<Struct>);
    const Attribute* found = Single(type);
    if (found == nullptr || !HasSize(*found, sizeof(Struct))) return std::nullopt;
    Struct value;
    std::memcpy(&value, found->payload.data(), sizeof(value));
    return value;
  }

  // Everything in its order, for lists in which a type comes more than once.
  const std::vector<Attribute>& all() const { return all_; }
  // A list entry read as a nest.
  Attributes Entry(const Attribute& attribute, std::string_view where) const {
    return Attributes(attribute.payload, where, malformed_);
  }
  // Notes an error found by the caller, as if it were found here.
  void Refuse(std::string_view what);
  const std::string& where() const { return where_; }

 private:
  template <typename Integer>
  std::optional<Integer> Number(uint16_t type) {
    return Copy<Integer>(type);
  }
  // The only attribute of this type; two of them are an error.
  const Attribute* Single(uint16_t type);
  bool HasSize(const Attribute& attribute, size_t size);

  std::vector<Attribute> all_;
  std::string where_;
  absl::Status& malformed_;
};

// Copies the fixed header that starts a payload (struct dcbmsg, ifinfomsg ...) and returns what
// follows it; kDataLoss when the payload is shorter.
template <typename Header>
absl::StatusOr<ByteView> TakeHeader(ByteView payload, std::string_view where, Header& header) {
  static_assert(std::is_trivially_copyable_v<Header>);
  if (payload.size() < sizeof(Header)) {
    return DataLoss("{}: {} bytes are too few for a header of {}", where, payload.size(),
                    sizeof(Header));
  }
  std::memcpy(&header, payload.data(), sizeof(Header));
  return payload.subspan(std::min((sizeof(Header) + 3) & ~size_t{3}, payload.size()));
}

}  // namespace roceready::netlink
