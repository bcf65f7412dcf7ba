// SPDX-License-Identifier: Apache-2.0
// What HTTP (RFC 9110) asks of an answer whatever it is about: which methods its path takes, which
// types of content its client takes, and whether the client has it already.
#pragma once

#include <string>
#include <string_view>

#include "controller/api/rest/http.h"

namespace roceready::rest {

// Whether a client with this Accept header takes this type of content: "*/*", "application/*" or
// the type itself, with a weight above 0; the most specific one counts. Empty: it takes all.
bool Accepts(std::string_view accept, std::string_view content_type);

// "application/json", whatever its parameters.
bool IsJson(std::string_view content_type);

// The answer with an ETag (of its content), which the client may keep and ask for again; or 304
// where its If-None-Match has this very answer.
HttpResponse WithETag(HttpResponse response, std::string_view if_none_match);

// To a method that a path does not take: 405, and to OPTIONS 204; both with what it takes
// ("GET, HEAD", to which OPTIONS is added).
HttpResponse OtherMethod(const HttpRequest& request, std::string_view takes);

// To a client that does not take the type of content there is: 406.
HttpResponse NotAcceptable(const HttpRequest& request, std::string_view content_type);

// To a body that is no JSON, by its Content-Type: 415. What a form of some other site's page can
// make a browser send, with the certificate of whoever reads it, is refused by this.
HttpResponse UnsupportedMediaType(const HttpRequest& request);

}  // namespace roceready::rest
