// SPDX-License-Identifier: Apache-2.0
#include "controller/api/openapi/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "controller/api/openapi/operation.h"
#include "controller/api/openapi/problems.h"
#include "controller/api/openapi/reachable_types.h"
#include "controller/api/openapi/schema.h"
#include "controller/api/rest/http_route.h"
#include "proto/contract/errors.h"

namespace roceready::openapi {
namespace {

constexpr char kAbout[] =
    "Tells whether a set of hosts is ready to carry RoCE traffic, and why not. The same service as "
    "roceready.v1.FleetService in gRPC.\n\n"
    "JSON as protobuf has it, with original field names: 64-bit integers are strings, durations "
    "are seconds (`90s`), an absent field of an answer is one that nothing is known of. A value "
    "that a newer agent sends and this controller has no name for is its number. Fields and "
    "values of enums may be added: take no harm from those you do not know.";

constexpr char kCertificate[] =
    "A client certificate of the site's CA. Its URI in subjectAltName is the role: "
    "roceready://role/viewer, roceready://role/operator or roceready://role/admin.";

Json Servers() {
  return Json::array({{{"url", "https://{controller}:{port}"},
                       {"variables",
                        {{"controller", {{"default", "roceready-controller"}}},
                         {"port", {{"default", "7473"}}}}}}});
}

// Two methods may share a path.
Json PathsOf(const std::vector<rest::HttpRoute>& routes) {
  Json paths = Json::object();
  for (const rest::HttpRoute& route : routes) {
    std::string verb = route.verb;
    std::ranges::transform(verb, verb.begin(), [](unsigned char c) { return std::tolower(c); });
    paths[route.path.text()][verb] = OperationOf(route);
  }
  return paths;
}

Json SchemasOf(const ReachableTypes& types) {
  Json schemas = Json::object();
  for (const auto& [name, message] : types.messages) {
    schemas[name] = SchemaOf(*message, !types.sent_by_clients.contains(message));
  }
  for (const auto& [name, type] : types.enums) schemas[name] = SchemaOf(*type);
  schemas["Problem"] = SchemaOfProblem();
  return schemas;
}

Json ProblemResponses() {
  Json responses = Json::object();
  for (const ProblemStatus& one : ProblemStatuses()) {
    responses[fmt::format("Problem{}", one.status)] = {
        {"description", one.when},
        {"content",
         {{"application/problem+json", {{"schema", {{"$ref", "#/components/schemas/Problem"}}}}}}}};
  }
  return responses;
}

}  // namespace

absl::StatusOr<std::string> DocumentOf(const google::protobuf::ServiceDescriptor* service,
                                       std::string_view software_version) {
  ASSIGN_OR_RETURN(const std::vector<rest::HttpRoute> routes, rest::HttpRoutesOf(service));
  ASSIGN_OR_RETURN(const ReachableTypes types, ReachableFrom(routes));
  const Json document = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "roceready"},
        {"version", software_version},
        {"description", kAbout},
        {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
      {"servers", Servers()},
      {"security", Json::array({{{"certificate", Json::array()}}})},
      {"paths", PathsOf(routes)},
      {"components",
       {{"schemas", SchemasOf(types)},
        {"responses", ProblemResponses()},
        {"securitySchemes",
         {{"certificate", {{"type", "mutualTLS"}, {"description", kCertificate}}}}}}}};
  return document.dump(2) + "\n";
}

}  // namespace roceready::openapi
