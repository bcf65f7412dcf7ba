// SPDX-License-Identifier: Apache-2.0
// A small certificate authority for sites without one, and for tests: EC P-256, SHA-256, names only
// in the subjectAltName. Keys exist in memory and in the files the caller asks for.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "proto/process/clock.h"
#include "proto/process/tls_identity.h"

namespace roceready::pki {

struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;
};

struct Lifetime {
  WallTime not_before;
  WallTime not_after;
};

// From an hour before `now` (clocks differ) for `days`.
Lifetime LifetimeOfDays(WallTime now, int days);

// A self-signed CA that may sign end certificates only.
absl::StatusOr<KeyPair> CreateCa(std::string_view name, const Lifetime& lifetime);

// For an agent: may act as a TLS client under this DNS name. kInvalidArgument where `host` is not a
// host name.
absl::StatusOr<KeyPair> IssueForHost(const KeyPair& ca, std::string_view host,
                                     const Lifetime& lifetime);
// For a controller: may act as a TLS server under these DNS names and IP addresses.
absl::StatusOr<KeyPair> IssueForController(const KeyPair& ca, const std::vector<std::string>& names,
                                           const Lifetime& lifetime);
// For a person or a program that calls the API; `user` is shown in the audit log.
absl::StatusOr<KeyPair> IssueForClient(const KeyPair& ca, std::string_view user, Role role,
                                       const Lifetime& lifetime);

// Writes DIRECTORY/NAME.crt (mode 0644) and DIRECTORY/NAME.key (0600). Never overwrites a file.
absl::Status WriteKeyPair(const KeyPair& pair, const std::string& directory, std::string_view name);
absl::StatusOr<KeyPair> ReadKeyPair(const std::string& directory, std::string_view name);

}  // namespace roceready::pki
