// SPDX-License-Identifier: Apache-2.0
#include "controller/pki_command.h"

#include <filesystem>
#include <system_error>

#include "proto/contract/errors.h"
#include "proto/process/pki.h"

namespace roceready::controller {
namespace {

constexpr int kCaDays = 3650;
constexpr int kCertificateDays = 365;

absl::Status CreateCa(const PkiOptions& options, const pki::Lifetime& lifetime) {
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error) return ErrnoError(error.value(), fmt::format("cannot make {}", options.directory));
  ASSIGN_OR_RETURN(const pki::KeyPair ca, pki::CreateCa("roceready CA", lifetime));
  return pki::WriteKeyPair(ca, options.directory, "ca");
}

}  // namespace

absl::Status PkiCommand(const PkiOptions& options, WallTime now) {
  const bool is_ca = options.kind == PkiOptions::Kind::kCa;
  const int days = options.days != 0 ? options.days : is_ca ? kCaDays : kCertificateDays;
  const pki::Lifetime lifetime = pki::LifetimeOfDays(now, days);
  if (is_ca) return CreateCa(options, lifetime);

  const auto ca = pki::ReadKeyPair(options.directory, "ca");
  if (!ca.ok()) {
    return WithContext(ca.status(),
                       fmt::format("no CA in {0} (make one: roceready-controller pki ca "
                                   "--directory {0})",
                                   options.directory));
  }
  switch (options.kind) {
    case PkiOptions::Kind::kHost:
      for (const std::string& host : options.names) {
        ASSIGN_OR_RETURN(const pki::KeyPair pair, pki::IssueForHost(*ca, host, lifetime));
        RETURN_IF_ERROR(pki::WriteKeyPair(pair, options.directory, host));
      }
      return absl::OkStatus();
    case PkiOptions::Kind::kController: {
      ASSIGN_OR_RETURN(const pki::KeyPair pair,
                       pki::IssueForController(*ca, options.names, lifetime));
      return pki::WriteKeyPair(pair, options.directory, "controller");
    }
    case PkiOptions::Kind::kClient: {
      const auto role = RoleOfWord(options.role);
      if (!role) {
        return InvalidArgument("role \"{}\": give viewer, operator or admin", options.role);
      }
      for (const std::string& user : options.names) {
        ASSIGN_OR_RETURN(const pki::KeyPair pair, pki::IssueForClient(*ca, user, *role, lifetime));
        RETURN_IF_ERROR(pki::WriteKeyPair(pair, options.directory, user));
      }
      return absl::OkStatus();
    }
    case PkiOptions::Kind::kCa:
      break;
  }
  return Internal("no such kind of certificate");
}

}  // namespace roceready::controller
