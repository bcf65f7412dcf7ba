// SPDX-License-Identifier: Apache-2.0
// HTTP as values: what a handler gets and what it may answer. The server (http_server.h) is the
// only file that knows Boost.Beast.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace roceready::rest {

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // as sent, not decoded, without the query
  std::string query;   // after '?', not decoded
  std::string body;
  std::string principal;  // EncodeIdentity() of the client certificate; empty: plain text
  // Header fields by their names, as sent; empty: not sent.
  std::string accept;
  std::string content_type;  // of the body
  std::string idempotency_key;
  std::string if_none_match;
  std::string last_event_id;  // of a server-sent event stream that is taken up again
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// Where a handler answers; usable from any thread, also after the client has gone (then nothing
// happens). Either Send once, or StartStream, WriteChunk any number of times, EndStream.
class HttpResponder {
 public:
  virtual ~HttpResponder() = default;
  virtual void Send(HttpResponse response) = 0;
  virtual void StartStream(std::string content_type) = 0;
  // A reader that falls behind by more than the server's limit is cut off.
  virtual void WriteChunk(std::string chunk) = 0;
  virtual void EndStream() = 0;
  // Where nothing has been answered within `patience`, the answer is what `otherwise` then makes,
  // on the server's own thread: for handlers that wait for somebody who may be stuck.
  virtual void AnswerBy(std::chrono::nanoseconds patience,
                        std::function<HttpResponse()> otherwise) = 0;
  // Called at most once, when the client has gone before the answer was complete.
  virtual void OnClosed(std::function<void()> callback) = 0;
};

using HttpHandler = std::function<void(HttpRequest, std::shared_ptr<HttpResponder>)>;

}  // namespace roceready::rest
