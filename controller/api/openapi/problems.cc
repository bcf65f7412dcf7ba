// SPDX-License-Identifier: Apache-2.0
#include "controller/api/openapi/problems.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace roceready::openapi {

const std::vector<ProblemStatus>& ProblemStatuses() {
  static const std::vector<ProblemStatus> kStatuses = {
      {400, "The request does not fit: the detail names the parameter or field and what it takes."},
      {403, "The certificate has no role, or one that may not do this."},
      {404, "There is nothing of this name; a name that a request refers to counts too."},
      {406, "The header Accept takes none of what there is."},
      {409, "The request id was used for another request."},
      {413, "The body is larger than 1 MiB."},
      {415, "The body is not said to be application/json."},
      {429, "Too much is going on at once, or is kept already: try again later."},
      {431, "The header is larger than 16 KiB."},
      {500, "A fault of the controller."},
      {503, "The controller has just started, is overloaded or stops: try again later."},
      {504, "The controller did not answer in time."},
  };
  return kStatuses;
}

std::vector<int> ProblemsOf(const rest::HttpRoute& route) {
  const google::protobuf::Descriptor& request = *route.method->input_type();
  std::vector<int> statuses = {400, 403, 406, 431, 500, 503};
  const bool names_something = !route.path.Variables().empty() ||
                               request.FindFieldByName("policy") != nullptr ||
                               request.FindFieldByName("audit_id") != nullptr;
  if (names_something) statuses.push_back(404);
  if (request.FindFieldByName("request_id") != nullptr) statuses.push_back(409);
  if (route.body) statuses.insert(statuses.end(), {413, 415});
  // What is kept has a limit, and what is judged on another thread.
  if (route.body || route.method->name() == "GetVerdict") statuses.push_back(429);
  if (!route.method->server_streaming()) statuses.push_back(504);
  std::ranges::sort(statuses);
  return statuses;
}

Json SchemaOfProblem() {
  return {
      {"type", "object"},
      {"description",
       "An error (RFC 9457). The title is a word for programs, the detail a sentence for people."},
      {"properties",
       {{"type",
         {{"type", "string"}, {"examples", Json::array({"roceready://problem/NOT_FOUND"})}}},
        {"title", {{"type", "string"}, {"examples", Json::array({"NOT_FOUND"})}}},
        {"status", {{"type", "integer"}, {"description", "That of HTTP."}}},
        {"detail",
         {{"type", "string"}, {"description", "What is wrong, where, and what to do."}}}}},
      {"required", Json::array({"type", "title", "status", "detail"})}};
}

}  // namespace roceready::openapi
