// SPDX-License-Identifier: Apache-2.0
#include "controller/api/openapi/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "controller/api/openapi/problems.h"
#include "controller/api/openapi/reachable_types.h"
#include "proto/process/tls_identity.h"

namespace roceready::openapi {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

Json Parameter(const std::string& name, std::string_view in, const FieldDescriptor& field) {
  Json schema = SchemaOf(field);
  Json parameter = {{"name", name}, {"in", in}};
  if (schema.contains("description")) {
    parameter["description"] = schema["description"];
    schema.erase("description");
  }
  if (in == "path") parameter["required"] = true;
  parameter["schema"] = std::move(schema);
  return parameter;
}

bool IsInPath(const rest::HttpRoute& route, const std::string& name) {
  const std::vector<std::string> variables = route.path.Variables();
  return std::ranges::find(variables, name) != variables.end();
}

// Whether SetFromText() takes the field, where it is no message with fields of its own.
bool HasTextForm(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return IsText(*field.message_type()) && !field.is_repeated();
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return false;
    default:
      return field.type() != FieldDescriptor::TYPE_BYTES;
  }
}

// Of the fields of `type`, those of messages within as "plan.kind". `above`: the messages that this
// one is within; a message within itself has no end.
void AddQuery(const Descriptor& type, const std::string& prefix,
              std::vector<const Descriptor*> above, const rest::HttpRoute& route,
              Json& parameters) {
  if (std::ranges::find(above, &type) != above.end()) return;
  above.push_back(&type);
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const std::string name = prefix + field.name();
    if (IsInPath(route, name)) continue;
    if (HasTextForm(field)) {
      parameters.push_back(Parameter(name, "query", field));
    } else if (field.message_type() != nullptr && !field.is_repeated()) {
      AddQuery(*field.message_type(), name + ".", above, route, parameters);
    }
  }
}

Json Header(std::string_view name, std::string_view description) {
  return {{"name", name},
          {"in", "header"},
          {"description", description},
          {"schema", {{"type", "string"}}}};
}

void AddHeaders(const rest::HttpRoute& route, Json& parameters) {
  const Descriptor& request = *route.method->input_type();
  if (route.method->server_streaming()) {
    if (request.FindFieldByName("after_sequence") == nullptr) return;
    parameters.push_back(Header(
        "Last-Event-ID", "As after_sequence; browsers send it when they take a stream up again."));
  } else if (route.verb == "GET") {
    parameters.push_back(
        Header("If-None-Match", "The ETag of an answer that the client has kept."));
  } else if (request.FindFieldByName("request_id") != nullptr) {
    parameters.push_back(Header("Idempotency-Key", "As request_id."));
  }
}

Json ParametersOf(const rest::HttpRoute& route) {
  const Descriptor& request = *route.method->input_type();
  Json parameters = Json::array();
  for (const std::string& variable : route.path.Variables()) {
    parameters.push_back(Parameter(variable, "path", *request.FindFieldByName(variable)));
  }
  if (!route.body) AddQuery(request, "", {}, route, parameters);
  AddHeaders(route, parameters);
  return parameters;
}

// The request without what the path says of it.
Json BodyOf(const rest::HttpRoute& route) {
  const Descriptor& request = *route.method->input_type();
  Json schema = {{"$ref", "#/components/schemas/" + NameOf(request)}};
  if (!route.path.Variables().empty()) {
    schema = SchemaOf(request, /*complete=*/false);
    for (const std::string& variable : route.path.Variables()) {
      schema["properties"].erase(variable);
    }
  }
  return {{"description", "Unknown keys are refused."},
          {"content", {{"application/json", {{"schema", std::move(schema)}}}}}};
}

Json AnswerOf(const rest::HttpRoute& route) {
  const std::string answer = "#/components/schemas/" + NameOf(*route.method->output_type());
  if (!route.method->server_streaming()) {
    Json response = {{"description", "The answer."}};
    if (route.verb == "GET") response["headers"] = {{"ETag", {{"schema", {{"type", "string"}}}}}};
    response["content"] = {{"application/json", {{"schema", {{"$ref", answer}}}}}};
    return response;
  }
  return {{"description",
           fmt::format("Server-sent events. The data of each is one {} in JSON, its id the "
                       "sequence. A stream that breaks off ends with an event named `problem`, "
                       "whose data is a problem document; comments between keep it alive.",
                       NameOf(*route.method->output_type()))},
          {"content",
           {{"text/event-stream",
             {{"schema", {{"type", "string"}}}, {"x-roceready-event", {{"$ref", answer}}}}}}}};
}

Json ResponsesOf(const rest::HttpRoute& route) {
  Json responses = {{"200", AnswerOf(route)}};
  if (route.verb == "GET" && !route.method->server_streaming()) {
    responses["304"] = {{"description", "The answer is the one that the client has kept."}};
  }
  for (const int status : ProblemsOf(route)) {
    responses[std::to_string(status)] = {
        {"$ref", fmt::format("#/components/responses/Problem{}", status)}};
  }
  return responses;
}

// As the functions of FleetApi ask for it: who looks is a viewer, who changes something an
// operator.
std::string_view RoleOf(const rest::HttpRoute& route) {
  return RoleWord(route.verb == "GET" ? Role::kViewer : Role::kOperator);
}

}  // namespace

Json OperationOf(const rest::HttpRoute& route) {
  Json operation = {{"operationId", route.method->name()}};
  if (const std::string comment = CommentOf(*route.method); !comment.empty()) {
    operation["description"] = comment;
  }
  Json parameters = ParametersOf(route);
  if (!parameters.empty()) operation["parameters"] = std::move(parameters);
  if (route.body) operation["requestBody"] = BodyOf(route);
  operation["responses"] = ResponsesOf(route);
  operation["x-roceready-role"] = RoleOf(route);
  return operation;
}

}  // namespace roceready::openapi
