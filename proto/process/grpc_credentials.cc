// SPDX-License-Identifier: Apache-2.0
#include "proto/process/grpc_credentials.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include "proto/contract/errors.h"
#include "proto/process/refusals.h"

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

// gRPC would end the handshake without a word about whose certificate it was: TLS 1.3 tells neither
// end much. So it is told to ask for a certificate and not to judge it, and this does, once the
// handshake has shown that the client holds its key.
class ClientVerifier final : public tls::ExternalCertificateVerifier {
 public:
  explicit ClientVerifier(std::string ca_file) : ca_file_(std::move(ca_file)) {}

  bool Verify(tls::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* sync_status) override {
    std::string pem(request->peer_cert().data(), request->peer_cert().size());
    pem.append(request->peer_cert_full_chain().data(), request->peer_cert_full_chain().size());
    const absl::Status held =
        CheckClientCertificate(pem, ca_file_, std::chrono::system_clock::now());
    if (held.ok()) {
      *sync_status = grpc::Status::OK;
      return true;
    }
    const grpc::string_ref name = request->common_name();
    LogRefusal(
        "certificate refused",
        {{"of",
          IdentityOfNames(Strings(request->dns_names()), Strings(request->uri_names())).Describe()},
         {"common_name", std::string_view(name.data(), name.size())},
         {"why", Message(held)}});
    *sync_status = grpc::Status(grpc::StatusCode::UNAUTHENTICATED, std::string(Message(held)));
    return true;
  }
  void Cancel(tls::TlsCustomVerificationCheckRequest*) override {}

 private:
  const std::string ca_file_;
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
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_BUT_DONT_VERIFY);
  options.set_certificate_verifier(
      tls::ExternalCertificateVerifier::Create<ClientVerifier>(files.ca()));
  return tls::TlsServerCredentials(options);
}

PeerIdentity PeerIdentityOf(const grpc::AuthContext& context) {
  if (!context.IsPeerAuthenticated()) return {};
  PeerIdentity identity =
      IdentityOfNames(Strings(context.FindPropertyValues(GRPC_PEER_DNS_PROPERTY_NAME)),
                      Strings(context.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME)));
  for (const std::string& name : Strings(context.FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME))) {
    identity.person = name;
  }
  return identity;
}

}  // namespace roceready
