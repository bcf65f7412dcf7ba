// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/negotiation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "controller/api/rest/problem.h"
#include "proto/contract/fact_parts.h"

namespace roceready::rest {
namespace {

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// What is before the separator; `rest` keeps what is after it.
std::string_view CutAt(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view piece = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return Trimmed(piece);
}

bool EqualButForCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// "q=0", "q=0.000": a type of content that is not wanted.
bool IsZeroWeight(std::string_view parameter) {
  const std::string_view name = CutAt(parameter, '=');
  return EqualButForCase(name, "q") && !parameter.empty() &&
         parameter.find_first_not_of("0. \t") == std::string_view::npos;
}

// 0: the range has nothing to do with the type; the more it says of it the higher.
int Specificity(std::string_view range, std::string_view type) {
  if (range == "*/*") return 1;
  if (range.ends_with("/*")) {
    const std::string_view group = range.substr(0, range.size() - 1);
    return EqualButForCase(group, type.substr(0, group.size())) ? 2 : 0;
  }
  return EqualButForCase(range, type) ? 3 : 0;
}

}  // namespace

bool Accepts(std::string_view accept, std::string_view content_type) {
  if (Trimmed(accept).empty()) return true;
  int best = 0;
  bool wanted = false;
  while (!accept.empty()) {
    std::string_view parameters = CutAt(accept, ',');
    const int specificity = Specificity(CutAt(parameters, ';'), content_type);
    if (specificity <= best) continue;
    best = specificity;
    wanted = true;
    while (!parameters.empty()) wanted = wanted && !IsZeroWeight(CutAt(parameters, ';'));
  }
  return wanted;
}

bool IsJson(std::string_view content_type) {
  return EqualButForCase(CutAt(content_type, ';'), "application/json");
}

HttpResponse WithETag(HttpResponse response, std::string_view if_none_match) {
  constexpr std::size_t kBytes = 16;
  const std::string tag =
      fmt::format("\"{}\"", HexOfDigest(Sha256(response.body).substr(0, kBytes)));
  // To keep it is allowed, to show it without asking is not: facts change.
  response.headers.emplace_back("ETag", tag);
  response.headers.emplace_back("Cache-Control", "private, no-cache");
  while (!if_none_match.empty()) {
    std::string_view known = CutAt(if_none_match, ',');
    if (known.starts_with("W/")) known.remove_prefix(2);
    if (known != tag && known != "*") continue;
    response.status = 304;
    response.body.clear();
    break;
  }
  return response;
}

HttpResponse OtherMethod(const HttpRequest& request, std::string_view takes) {
  HttpResponse response =
      request.method == "OPTIONS"
          ? HttpResponse{.status = 204}
          : Problem(405, "METHOD_NOT_ALLOWED", fmt::format("{} takes {}", request.path, takes));
  response.headers.emplace_back("Allow", fmt::format("{}, OPTIONS", takes));
  return response;
}

HttpResponse NotAcceptable(const HttpRequest& request, std::string_view content_type) {
  return Problem(406, "NOT_ACCEPTABLE",
                 fmt::format("{} answers {}, which the header `Accept: {}` does not take",
                             request.path, content_type, request.accept));
}

HttpResponse UnsupportedMediaType(const HttpRequest& request) {
  return Problem(
      415, "UNSUPPORTED_MEDIA_TYPE",
      fmt::format("{} takes JSON, and the body is said to be {}: send the header "
                  "`Content-Type: application/json`",
                  request.path, request.content_type.empty() ? "nothing" : request.content_type));
}

}  // namespace roceready::rest
