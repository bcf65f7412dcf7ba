// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/fixed_document.h"

#include "controller/api/rest/negotiation.h"

namespace roceready::rest {

bool FixedDocument::Handle(const HttpRequest& request,
                           const std::shared_ptr<HttpResponder>& responder) const {
  if (request.path != path_) return false;
  HttpResponse response;
  response.body = text_;
  if (request.method != "GET" && request.method != "HEAD") {
    responder->Send(OtherMethod(request, "GET, HEAD"));
  } else if (!Accepts(request.accept, response.content_type)) {
    responder->Send(NotAcceptable(request, response.content_type));
  } else {
    responder->Send(WithETag(std::move(response), request.if_none_match));
  }
  return true;
}

}  // namespace roceready::rest
