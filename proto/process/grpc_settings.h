// SPDX-License-Identifier: Apache-2.0
// Settings of gRPC connections that both ends must agree on.
//
// Keepalive: the agent asks over an idle connection whether the other end still lives; a server
// that was not told to expect it would answer "too_many_pings" and close. Sizes: no message is
// larger than kMaxMessageBytes on either end (chunks of facts are at most 256 KB).
#pragma once

#include <chrono>

namespace grpc {
class ChannelArguments;
class ServerBuilder;
}  // namespace grpc

namespace roceready {

constexpr std::chrono::seconds kKeepaliveInterval{15};
constexpr std::chrono::seconds kKeepaliveTimeout{10};
constexpr int kMaxMessageBytes = 1 << 20;

// For a client's long-lived stream. Each channel has connections of its own (no sharing within the
// process) and never goes through an HTTP proxy.
void ApplyClientSettings(grpc::ChannelArguments* arguments);

// For the server of such streams.
void ApplyServerSettings(grpc::ServerBuilder* builder);

}  // namespace roceready
