// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/gid.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "proto/contract/errors.h"

namespace roceready::probe {
namespace {

constexpr GidBytes kMappedV4Prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

std::string_view FamilyWord(v1::IpFamily family) {
  switch (family) {
    case v1::IP_FAMILY_V4:
      return "IPv4";
    case v1::IP_FAMILY_V6:
      return "IPv6";
    case v1::IP_FAMILY_V6_LINK_LOCAL:
      return "IPv6 link-local";
    default:
      return "any family";
  }
}

std::string_view TypeWord(v1::GidType type) {
  switch (type) {
    case v1::GID_TYPE_IB:
      return "IB";
    case v1::GID_TYPE_ROCE_V1:
      return "RoCE v1";
    case v1::GID_TYPE_ROCE_V2:
      return "RoCE v2";
    default:
      return "any type";
  }
}

}  // namespace

std::string GidText(const GidBytes& gid) {
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET6, gid.data(), text, sizeof(text));
  return text;
}

absl::StatusOr<GidBytes> ParseGid(std::string_view text) {
  GidBytes gid{};
  if (::inet_pton(AF_INET6, std::string(text).c_str(), gid.data()) != 1) {
    return InvalidArgument("\"{}\" is not a GID (16 bytes written like an IPv6 address)", text);
  }
  return gid;
}

v1::IpFamily FamilyOf(const GidBytes& gid) {
  if (std::equal(gid.begin(), gid.begin() + 12, kMappedV4Prefix.begin())) return v1::IP_FAMILY_V4;
  if (gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80) return v1::IP_FAMILY_V6_LINK_LOCAL;
  return v1::IP_FAMILY_V6;
}

absl::StatusOr<GidRow> ChooseGid(std::span<const GidRow> table, const GidWish& wish) {
  std::string seen;
  for (const GidRow& row : table) {
    if (row.gid == GidBytes{}) continue;
    const bool type_fits = wish.type == v1::GID_TYPE_UNSPECIFIED || row.type == wish.type;
    const bool family_fits =
        wish.family == v1::IP_FAMILY_UNSPECIFIED || FamilyOf(row.gid) == wish.family;
    const bool device_fits =
        !wish.net_device_index || row.net_device_index == *wish.net_device_index;
    if (type_fits && family_fits && device_fits) return row;
    seen += fmt::format("{}{} ({}, ifindex {})", seen.empty() ? "" : ", ", GidText(row.gid),
                        TypeWord(row.type), row.net_device_index);
  }
  return NotFound("no GID of type {}, {}{}; the port has {}", TypeWord(wish.type),
                  FamilyWord(wish.family),
                  wish.net_device_index ? fmt::format(", ifindex {}", *wish.net_device_index) : "",
                  seen.empty() ? "none" : seen);
}

}  // namespace roceready::probe
