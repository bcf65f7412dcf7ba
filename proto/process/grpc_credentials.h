// SPDX-License-Identifier: Apache-2.0
// mTLS for gRPC from PEM files that are read again when they change (within kReloadInterval).
// TLS 1.2 at least; both ends must show a certificate of the CA.
#pragma once

#include <chrono>
#include <memory>

#include "proto/process/tls_identity.h"
#include "roceready/v1/config.pb.h"

namespace grpc {
class AuthContext;
class ChannelCredentials;
class ServerCredentials;
}  // namespace grpc

namespace roceready {

constexpr std::chrono::seconds kReloadInterval{10};

// A client takes a server only whose certificate names the dialled host in its subjectAltName
// (NamesServer in tls_identity.h).
std::shared_ptr<grpc::ChannelCredentials> ClientCredentialsFromFiles(const v1::TlsFiles& files);

// A server takes any certificate of the CA; who it is follows from PeerIdentityOf().
std::shared_ptr<grpc::ServerCredentials> ServerCredentialsFromFiles(const v1::TlsFiles& files);

// Of a call's peer. Names nobody where the connection was not authenticated.
PeerIdentity PeerIdentityOf(const grpc::AuthContext& context);

}  // namespace roceready
