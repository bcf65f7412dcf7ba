// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/generic.h"

#include <linux/genetlink.h>

namespace roceready::netlink {

Request GenericFamilyRequest(std::string_view name) {
  PayloadBuilder payload;
  payload.PutHeader(genlmsghdr{.cmd = CTRL_CMD_GETFAMILY, .version = 1});
  payload.PutString(CTRL_ATTR_FAMILY_NAME, name);
  return {.type = GENL_ID_CTRL,
          .payload = payload.Take(),
          .what = fmt::format("generic netlink family {}", name)};
}

absl::StatusOr<GenericFamily> DecodeGenericFamily(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "generic netlink family"));
  absl::Status malformed;
  Attributes attributes(rest, "generic netlink family", malformed);
  const std::optional<uint16_t> id = attributes.U16(CTRL_ATTR_FAMILY_ID);
  const uint32_t version = attributes.U32(CTRL_ATTR_VERSION).value_or(0);
  RETURN_IF_ERROR(malformed);
  // Lower numbers belong to netlink itself.
  if (!id || *id < GENL_MIN_ID) return DataLoss("generic netlink family without its number");
  return GenericFamily{.id = *id, .version = version};
}

absl::StatusOr<GenericFamily> ResolveGenericFamily(Transport& transport, std::string_view name) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(transport, GenericFamilyRequest(name)));
  return DecodeGenericFamily(message);
}

absl::StatusOr<uint32_t> DecodeGenericGroup(const Message& message, std::string_view group) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "generic netlink family"));
  absl::Status malformed;
  Attributes attributes(rest, "generic netlink family", malformed);
  std::optional<Attributes> groups = attributes.Nest(CTRL_ATTR_MCAST_GROUPS, "multicast groups");
  std::optional<uint32_t> found;
  for (size_t i = 0; groups && i < groups->all().size(); ++i) {
    Attributes entry = groups->Entry(groups->all()[i], "multicast group");
    const std::optional<uint32_t> id = entry.U32(CTRL_ATTR_MCAST_GRP_ID);
    if (entry.String(CTRL_ATTR_MCAST_GRP_NAME) == group) found = id;
  }
  RETURN_IF_ERROR(malformed);
  if (!found) return NotFound("generic netlink family without a multicast group {}", group);
  return *found;
}

absl::StatusOr<uint32_t> ResolveGenericGroup(Transport& transport, std::string_view family,
                                             std::string_view group) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(transport, GenericFamilyRequest(family)));
  return DecodeGenericGroup(message, group);
}

Request GenericRequest(const GenericFamily& family, uint8_t command, bool dump,
                       const PayloadBuilder& attributes, std::string what) {
  PayloadBuilder payload;
  payload.PutHeader(genlmsghdr{.cmd = command, .version = static_cast<uint8_t>(family.version)});
  payload.Append(attributes);
  return {.type = family.id, .dump = dump, .payload = payload.Take(), .what = std::move(what)};
}

absl::StatusOr<ByteView> GenericAttributes(const Message& message, std::string_view where) {
  genlmsghdr header;
  return TakeHeader(message.payload, where, header);
}

}  // namespace roceready::netlink
