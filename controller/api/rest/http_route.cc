// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/http_route.h"

#include "google/api/annotations.pb.h"
#include "proto/contract/errors.h"

namespace roceready::rest {
namespace {

using google::api::HttpRule;
using google::protobuf::MethodDescriptor;

struct VerbAndPath {
  std::string verb;
  std::string path;
};

absl::StatusOr<VerbAndPath> VerbAndPathOf(const MethodDescriptor& method, const HttpRule& rule) {
  switch (rule.pattern_case()) {
    case HttpRule::kGet:
      return VerbAndPath{"GET", rule.get()};
    case HttpRule::kPost:
      return VerbAndPath{"POST", rule.post()};
    case HttpRule::kPut:
      return VerbAndPath{"PUT", rule.put()};
    case HttpRule::kPatch:
      return VerbAndPath{"PATCH", rule.patch()};
    case HttpRule::kDelete:
      return VerbAndPath{"DELETE", rule.delete_()};
    default:
      return InvalidArgument("{}: its HTTP rule names no verb", method.full_name());
  }
}

absl::StatusOr<HttpRoute> RouteOf(const MethodDescriptor& method) {
  const HttpRule& rule = method.options().GetExtension(google::api::http);
  ASSIGN_OR_RETURN(const VerbAndPath where, VerbAndPathOf(method, rule));
  if (!rule.body().empty() && rule.body() != "*") {
    return InvalidArgument("{}: body \"{}\" is not supported, only \"*\"", method.full_name(),
                           rule.body());
  }
  if (rule.additional_bindings_size() > 0 || !rule.response_body().empty()) {
    return InvalidArgument("{}: additional bindings and response_body are not supported",
                           method.full_name());
  }
  HttpRoute route;
  route.verb = where.verb;
  ASSIGN_OR_RETURN(route.path, PathTemplate::Parse(where.path));
  route.body = rule.body() == "*";
  route.method = &method;
  for (const std::string& variable : route.path.Variables()) {
    if (method.input_type()->FindFieldByName(variable) != nullptr) continue;
    return InvalidArgument("{}: path variable {} is no field of {}", method.full_name(), variable,
                           method.input_type()->name());
  }
  return route;
}

}  // namespace

absl::StatusOr<std::vector<HttpRoute>> HttpRoutesOf(
    const google::protobuf::ServiceDescriptor* service) {
  std::vector<HttpRoute> routes;
  for (int i = 0; i < service->method_count(); ++i) {
    const MethodDescriptor& method = *service->method(i);
    if (!method.options().HasExtension(google::api::http)) continue;
    ASSIGN_OR_RETURN(HttpRoute route, RouteOf(method));
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace roceready::rest
