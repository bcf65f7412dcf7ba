// SPDX-License-Identifier: Apache-2.0
#include "proto/process/certificate_chain.h"

#include "proto/contract/errors.h"

namespace roceready {
namespace {

// As in OpenSSL's security level 2, Debian's default for TLS: keys of at least 112 bits of
// strength.
constexpr int kAuthenticationLevel = 2;

// Owns the list and none of what it holds.
using Untrusted = std::unique_ptr<STACK_OF(X509), void (*)(STACK_OF(X509)*)>;

Untrusted AllButTheFirst(const Certificates& chain) {
  Untrusted rest(sk_X509_new_null(), [](STACK_OF(X509) * stack) { sk_X509_free(stack); });
  for (std::size_t i = 1; i < chain.size(); ++i) sk_X509_push(rest.get(), chain[i].get());
  return rest;
}

}  // namespace

absl::StatusOr<Certificates> CertificatesOfPem(std::string_view pem, std::string_view what) {
  const openssl::Bio bio = openssl::ReadingBio(pem);
  Certificates certificates;
  while (X509* const next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(next);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (certificates.empty() || !at_end) {
    return openssl::LastError(fmt::format("{} is not a PEM certificate", what));
  }
  ERR_clear_error();
  return certificates;
}

absl::Status VerifyChain(const Certificates& chain, const Certificates& cas, WallTime now,
                         ShownAs shown_as) {
  if (chain.empty()) return MakeError(absl::StatusCode::kUnauthenticated, "no certificate");
  const openssl::Store store(X509_STORE_new());
  for (const openssl::Certificate& ca : cas) X509_STORE_add_cert(store.get(), ca.get());
  const Untrusted between = AllButTheFirst(chain);
  const openssl::StoreContext context(X509_STORE_CTX_new());
  if (X509_STORE_CTX_init(context.get(), store.get(), chain.front().get(), between.get()) != 1) {
    return openssl::LastError("checking a certificate");
  }
  X509_STORE_CTX_set_time(context.get(), 0,
                          std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
  X509_VERIFY_PARAM* const parameters = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_auth_level(parameters, kAuthenticationLevel);
  if (shown_as == ShownAs::kClient) {
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_CLIENT);
  }
  if (X509_verify_cert(context.get()) == 1) return absl::OkStatus();
  const int error = X509_STORE_CTX_get_error(context.get());
  ERR_clear_error();
  return MakeError(absl::StatusCode::kUnauthenticated, X509_verify_cert_error_string(error));
}

}  // namespace roceready
