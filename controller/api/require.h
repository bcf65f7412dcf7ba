// SPDX-License-Identifier: Apache-2.0
// Who may ask what.
#pragma once

#include "controller/api/fleet_api.h"
#include "proto/contract/errors.h"

namespace roceready {

inline absl::Status Require(const Caller& caller, Role role) {
  if (caller.role && *caller.role >= role) return absl::OkStatus();
  return PermissionDenied(
      "this needs the role {}, and {} has {}: ask for a client certificate with the URI {}",
      RoleWord(role), caller.name.empty() ? "the caller" : caller.name,
      caller.role ? RoleWord(*caller.role) : "none", RoleUri(role));
}

}  // namespace roceready
