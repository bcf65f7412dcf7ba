// SPDX-License-Identifier: Apache-2.0
// `roceready-controller pki`: a small certificate authority for sites that have none. Files go to
// one directory: ca.crt, ca.key, then NAME.crt and NAME.key for each certificate. Nothing is
// overwritten.
#pragma once

#include <absl/status/status.h>

#include <string>
#include <vector>

#include "proto/process/clock.h"

namespace roceready::controller {

struct PkiOptions {
  enum class Kind { kCa, kHost, kController, kClient };
  Kind kind = Kind::kCa;
  std::string directory = "/etc/roceready/pki";
  // kHost: one certificate each. kController: the names and addresses of one certificate
  // ("controller"). kClient: the user. kCa: none.
  std::vector<std::string> names;
  std::string role = "viewer";  // kClient
  int days = 0;                 // 0: ten years for a CA, one for what it signs
};

absl::Status PkiCommand(const PkiOptions& options, WallTime now);

}  // namespace roceready::controller
