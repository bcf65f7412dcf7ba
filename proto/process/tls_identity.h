// SPDX-License-Identifier: Apache-2.0
// Who a certificate speaks for. Names come from the subjectAltName alone, each kind by its own
// list; the common name is never looked at.
//
//   DNS  gpu001.site            a host (agents, controllers), lower-cased
//   URI  roceready://role/admin a client's role: viewer, operator or admin
//
// A DNS name that is not a host name (a wildcard, a URI put there) names nobody.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/process/clock.h"
#include "roceready/v1/config.pb.h"

using X509 = struct x509_st;  // OpenSSL's

namespace roceready {

// Each role may do what the ones before it may.
enum class Role { kViewer = 1, kOperator = 2, kAdmin = 3 };

std::string_view RoleWord(Role role);
std::optional<Role> RoleOfWord(std::string_view word);
// "roceready://role/WORD"
std::string RoleUri(Role role);

struct PeerIdentity {
  std::vector<std::string> hosts;
  // The highest role named.
  std::optional<Role> role;
  // The common name, for logs and histories: nothing is decided by it.
  std::string person;

  bool SpeaksFor(std::string_view host) const;
  bool HasRole(Role wanted) const { return role.has_value() && *role >= wanted; }
  // "host gpu001" or "role admin", for logs.
  std::string Describe() const;
};

PeerIdentity IdentityOfNames(const std::vector<std::string>& dns_names,
                             const std::vector<std::string>& uris);

// Letters, digits, '-', '_' and dots between labels, at most 253.
bool IsHostName(std::string_view name);

// Names nobody for nullptr (a peer without a certificate).
PeerIdentity IdentityOfCertificate(const X509* certificate);

// One word for a metadata value between our own parts, and back:
// "person:alice,roceready://role/admin". Never empty: an identity that names nobody must not pass
// for the absence of one.
std::string EncodeIdentity(const PeerIdentity& identity);
PeerIdentity DecodeIdentity(std::string_view text);

// Of a PEM file (its first certificate).
absl::StatusOr<PeerIdentity> IdentityOfCertificateFile(const std::string& path);

// The one host that a certificate names, or `wanted` where it is among several.
// kFailedPrecondition where the certificate does not speak for it.
absl::StatusOr<std::string> HostOfIdentity(const PeerIdentity& identity, std::string_view wanted);

// What a daemon checks before it starts: the three files can be read, the key belongs to the
// certificate, the CA signed it, and it holds at `now`. Each error names the file and what to do.
absl::Status CheckTlsFiles(const v1::TlsFiles& files, WallTime now);

// Does a TLS client's certificate (PEM, its chain after it) hold under the CAs of `ca_file` at
// `now`?
absl::Status CheckClientCertificate(std::string_view pem, const std::string& ca_file, WallTime now);

// Does a server's certificate name `target` ("host", "host:port", "[::1]:port")? An address matches
// only an IP name; "*.site" stands for exactly one label.
bool NamesServer(const std::vector<std::string>& dns_names,
                 const std::vector<std::string>& ip_names, std::string_view target);

}  // namespace roceready
