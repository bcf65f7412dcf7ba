// SPDX-License-Identifier: Apache-2.0
#include "proto/process/grpc_settings.h"

#include <grpcpp/server_builder.h>
#include <grpcpp/support/channel_arguments.h>

namespace roceready {
namespace {

int Milliseconds(std::chrono::seconds seconds) {
  return static_cast<int>(std::chrono::milliseconds(seconds).count());
}

}  // namespace

void ApplyClientSettings(grpc::ChannelArguments* arguments) {
  arguments->SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(kKeepaliveInterval));
  arguments->SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(kKeepaliveTimeout));
  arguments->SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments->SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments->SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments->SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments->SetMaxSendMessageSize(kMaxMessageBytes);
}

void ApplyServerSettings(grpc::ServerBuilder* builder) {
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(kKeepaliveInterval));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(kKeepaliveTimeout));
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // Half of what clients do, so that a little jitter never counts as a strike.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                              Milliseconds(kKeepaliveInterval) / 2);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder->SetMaxSendMessageSize(kMaxMessageBytes);
}

}  // namespace roceready
