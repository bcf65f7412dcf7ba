// SPDX-License-Identifier: Apache-2.0
// Generic netlink: a family ("devlink", "ethtool") has a number that the kernel gives out at run
// time; its messages start with struct genlmsghdr (linux/genetlink.h).
#pragma once

#include <string_view>

#include "agent/netlink/attributes.h"
#include "agent/netlink/transport.h"

namespace roceready::netlink {

struct GenericFamily {
  // The message type of its requests and answers.
  uint16_t id = 0;
  uint32_t version = 0;
};

Request GenericFamilyRequest(std::string_view name);
// kDataLoss when malformed or without a number.
absl::StatusOr<GenericFamily> DecodeGenericFamily(const Message& message);
// kNotFound (ENOENT) where the kernel has no such family.
absl::StatusOr<GenericFamily> ResolveGenericFamily(Transport& transport, std::string_view name);

// The number of a family's multicast group; kNotFound where it has no group of that name.
absl::StatusOr<uint32_t> DecodeGenericGroup(const Message& message, std::string_view group);
absl::StatusOr<uint32_t> ResolveGenericGroup(Transport& transport, std::string_view family,
                                             std::string_view group);

// A request to a family: struct genlmsghdr with this command, then `attributes`.
Request GenericRequest(const GenericFamily& family, uint8_t command, bool dump,
                       const PayloadBuilder& attributes, std::string what);

// What follows struct genlmsghdr. The command in an answer often differs from the request's, so it
// is not looked at; kDataLoss when the header is cut.
absl::StatusOr<ByteView> GenericAttributes(const Message& message, std::string_view where);

}  // namespace roceready::netlink
