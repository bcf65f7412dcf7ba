// SPDX-License-Identifier: Apache-2.0
// GIDs as text, and the choice of one by type, family and net device: never by index, for indexes
// follow the order in which addresses came.
#pragma once

#include <absl/status/statusor.h>
#include <roceready/v1/probe.pb.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agent/probe/verbs.h"

namespace roceready::probe {

// As inet_ntop writes an IPv6 address: "::ffff:10.0.0.1", "fe80::1".
std::string GidText(const GidBytes& gid);
absl::StatusOr<GidBytes> ParseGid(std::string_view text);

// V4 for ::ffff:a.b.c.d, V6_LINK_LOCAL for fe80::/10, V6 for the rest.
v1::IpFamily FamilyOf(const GidBytes& gid);

struct GidWish {
  v1::GidType type = v1::GID_TYPE_UNSPECIFIED;
  v1::IpFamily family = v1::IP_FAMILY_UNSPECIFIED;
  // Absent: any net device of the port.
  std::optional<uint32_t> net_device_index;
};

// The first row in table order that is as wished; kNotFound says what was there instead.
absl::StatusOr<GidRow> ChooseGid(std::span<const GidRow> table, const GidWish& wish);

}  // namespace roceready::probe
