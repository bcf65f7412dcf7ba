// SPDX-License-Identifier: Apache-2.0
// Certificates of PEM text, and whether they hold under a CA. For .cc files only (OpenSSL).
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "proto/process/clock.h"
#include "proto/process/openssl_handles.h"

namespace roceready {

using Certificates = std::vector<openssl::Certificate>;

// Every certificate of the text, at least one: a bundle of CAs, or a certificate followed by the
// CAs between it and the trusted one. kInvalidArgument, "WHAT is not a PEM certificate: reason".
absl::StatusOr<Certificates> CertificatesOfPem(std::string_view pem, std::string_view what);

// What the certificate is shown as: at a TLS client (kClient), or either (kAny).
enum class ShownAs { kAny, kClient };

// Does the first of `chain` hold under one of `cas` at `now`? kUnauthenticated with the reason,
// such as "certificate has expired". An intermediate CA may be what a site trusts.
absl::Status VerifyChain(const Certificates& chain, const Certificates& cas, WallTime now,
                         ShownAs shown_as);

}  // namespace roceready
