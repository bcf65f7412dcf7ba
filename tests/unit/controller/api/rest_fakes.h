// SPDX-License-Identifier: Apache-2.0
// What is on both sides of the transcoder, for tests of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "controller/api/rest/http.h"
#include "controller/api/rest/rpc_caller.h"

namespace roceready::rest {

// Remembers the call; answers what the test set.
class FakeCaller : public RpcCaller {
 public:
  void Unary(const std::string& method, const std::string& principal, std::string request,
             Done done) override {
    last_method = method;
    last_principal = principal;
    last_request = std::move(request);
    done(status, response);
  }

  std::shared_ptr<RpcStream> ServerStream(const std::string& method, const std::string& principal,
                                          std::string request, OnMessage on_message,
                                          OnEnd on_end) override {
    last_method = method;
    last_principal = principal;
    last_request = std::move(request);
    message = std::move(on_message);
    end = std::move(on_end);
    struct Handle : RpcStream {
      explicit Handle(bool& flag) : cancelled(flag) {}
      ~Handle() override { cancelled = true; }
      bool& cancelled;
    };
    return std::make_shared<Handle>(cancelled);
  }

  std::string last_method, last_principal, last_request;
  absl::Status status;
  std::string response;
  OnMessage message;
  OnEnd end;
  bool cancelled = false;
};

class RecordingResponder : public HttpResponder {
 public:
  void Send(HttpResponse response) override { sent = std::move(response); }
  void StartStream(std::string content_type) override { stream_type = std::move(content_type); }
  void WriteChunk(std::string chunk) override { stream += chunk; }
  void EndStream() override { stream_ended = true; }
  void AnswerBy(std::chrono::nanoseconds, std::function<HttpResponse()>) override {}
  void OnClosed(std::function<void()> callback) override { closed = std::move(callback); }

  HttpResponse sent;
  std::string stream_type, stream;
  bool stream_ended = false;
  std::function<void()> closed;
};

}  // namespace roceready::rest
