// SPDX-License-Identifier: Apache-2.0
// REST from the service's own descriptors: each method with a google.api.http option becomes a
// route, JSON in and out by protobuf's rules (original field names, always printed defaults), a
// server-streaming method becomes server-sent events. The header Idempotency-Key is the field
// request_id, Last-Event-ID the field after_sequence, in methods that have them. There is no second
// definition of the API.
#pragma once

#include <absl/status/statusor.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/api/rest/http.h"
#include "controller/api/rest/http_route.h"
#include "controller/api/rest/rpc_caller.h"

namespace roceready::rest {

class Transcoder {
 public:
  // Fails on an option outside the supported part (http_route.h). `others`: paths that are answered
  // elsewhere, for who asks for one that there is not.
  static absl::StatusOr<std::unique_ptr<Transcoder>> Create(
      const google::protobuf::ServiceDescriptor* service, std::shared_ptr<RpcCaller> caller,
      std::vector<std::string> others = {});

  // Answers through `responder`, at once or later.
  void Handle(const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder) const;

 private:
  struct Route : HttpRoute {
    std::string rpc_name;
  };

  Transcoder() = default;
  void Serve(const Route& route, const std::map<std::string, std::string>& variables,
             const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder) const;
  HttpResponse NothingThere(const std::string& path) const;
  void Answer(const Route& route, const HttpRequest& request, std::string request_bytes,
              const std::shared_ptr<HttpResponder>& responder) const;
  void Stream(const Route& route, const HttpRequest& request, std::string request_bytes,
              const std::shared_ptr<HttpResponder>& responder) const;

  std::vector<Route> routes_;
  std::vector<std::string> others_;
  std::shared_ptr<RpcCaller> caller_;
};

// Sets the field at `path` ("policy", "plan.kind") from the text of a path variable or a query
// parameter; repeated scalar fields are appended to. Messages only where JSON has a string form
// (Duration, Timestamp, FieldMask).
absl::Status SetFromText(google::protobuf::Message& message, std::string_view path,
                         const std::string& text);

}  // namespace roceready::rest
