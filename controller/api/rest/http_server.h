// SPDX-License-Identifier: Apache-2.0
// The HTTP/1.1 server of the REST API: mTLS (a client certificate of our CA is required), hard
// limits on whatever a client sends. The only file pair that knows Boost.Beast (it takes half a
// minute to compile).
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "controller/api/rest/http.h"
#include "roceready/v1/config.pb.h"

namespace roceready::rest {

struct HttpServerOptions {
  std::string listen = "[::]:7473";
  v1::TlsFiles tls;
  // Plain text; the listen address must then be a loopback one.
  bool insecure_loopback = false;

  size_t max_header_bytes = size_t{16} * 1024;
  size_t max_body_bytes = size_t{1024} * 1024;
  // Unsent bytes of one event stream; a slower reader is cut off.
  size_t max_stream_backlog_bytes = size_t{1024} * 1024;
  int max_connections = 512;
  int max_connections_per_address = 64;
  std::chrono::seconds request_deadline{
      10};                                 // handshake, and one whole request from its first byte
  std::chrono::seconds idle_deadline{60};  // between requests of one connection
};

class HttpServer {
 public:
  // Listens at once; requests are handled on the server's own thread. Certificate files are read
  // again when they change. Port 0 picks one (see port()).
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                           HttpHandler handler);
  // Closes every connection and waits for the thread.
  virtual ~HttpServer() = default;

  virtual int port() const = 0;
};

}  // namespace roceready::rest
