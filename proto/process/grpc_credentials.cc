// SPDX-License-Identifier: Apache-2.0
#include "proto/process/grpc_credentials.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

namespace roceready {
namespace {

namespace tls = grpc::experimental;

std::vector<std::string> Strings(const std::vector<grpc::string_ref>& refs) {
  std::vector<std::string> strings;
  strings.reserve(refs.size());
  for (const grpc::string_ref& ref : refs) strings.emplace_back(ref.data(), ref.size());
  return strings;
}

// gRPC's own verifier falls back to the common name; this one does not.
class ServerNameVerifier final : public tls::ExternalCertificateVerifier {
 public:
  bool Verify(tls::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* sync_status) override {
    const grpc::string_ref target = request->target_name();
    const std::string name(target.data(), target.size());
    *sync_status = NamesServer(Strings(request->dns_names()), Strings(request->ip_names()), name)
                       ? grpc::Status::OK
                       : grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                                      "the server's certificate does not name \"" + name +
                                          "\" in its subjectAltName");
    return true;
  }
  void Cancel(tls::TlsCustomVerificationCheckRequest*) override {}
};

std::shared_ptr<tls::FileWatcherCertificateProvider> Watch(const v1::TlsFiles& files) {
  return std::make_shared<tls::FileWatcherCertificateProvider>(
      files.key(), files.certificate(), files.ca(), static_cast<unsigned>(kReloadInterval.count()));
}

}  // namespace

std::shared_ptr<grpc::ChannelCredentials> ClientCredentialsFromFiles(const v1::TlsFiles& files) {
  tls::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(Watch(files));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_verify_server_certs(true);
  options.set_certificate_verifier(tls::ExternalCertificateVerifier::Create<ServerNameVerifier>());
  // The name was checked above; the authority of a call is always the channel's own.
  options.set_check_call_host(false);
  return tls::TlsCredentials(options);
}

std::shared_ptr<grpc::ServerCredentials> ServerCredentialsFromFiles(const v1::TlsFiles& files) {
  tls::TlsServerCredentialsOptions options(Watch(files));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return tls::TlsServerCredentials(options);
}

PeerIdentity PeerIdentityOf(const grpc::AuthContext& context) {
  if (!context.IsPeerAuthenticated()) return {};
  return IdentityOfNames(Strings(context.FindPropertyValues(GRPC_PEER_DNS_PROPERTY_NAME)),
                         Strings(context.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME)));
}

}  // namespace roceready
