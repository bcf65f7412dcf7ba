// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/transcoder.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <mutex>
#include <sstream>

#include "controller/api/rest/problem.h"
#include "google/api/annotations.pb.h"
#include "proto/contract/errors.h"

namespace roceready::rest {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::MethodDescriptor;

std::unique_ptr<Message> NewMessage(const Descriptor* type) {
  return std::unique_ptr<Message>(MessageFactory::generated_factory()->GetPrototype(type)->New());
}

absl::StatusOr<std::string> BytesToJson(const Descriptor* type, const std::string& bytes,
                                        bool indented) {
  const std::unique_ptr<Message> message = NewMessage(type);
  if (!message->ParseFromString(bytes)) {
    return Internal("the service answered something that is no {}", type->full_name());
  }
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = indented;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(*message, &json, options);
  if (!status.ok()) {
    return Internal("{} has no JSON form: {}", type->full_name(), std::string(status.message()));
  }
  return json;
}

// What an event stream calls the event: clients send it back as Last-Event-ID.
std::string EventId(const Descriptor* type, const std::string& bytes) {
  const FieldDescriptor* sequence = type->FindFieldByName("sequence");
  if (sequence == nullptr || sequence->cpp_type() != FieldDescriptor::CPPTYPE_UINT64) return "";
  const std::unique_ptr<Message> message = NewMessage(type);
  if (!message->ParseFromString(bytes)) return "";
  return fmt::format("id: {}\n", message->GetReflection()->GetUInt64(*message, sequence));
}

// A problem document in the middle of an event stream.
std::string ProblemEvent(const absl::Status& error) {
  std::string event = "event: problem\n";
  std::istringstream document(ProblemOf(error).body);
  for (std::string line; std::getline(document, line);) event += "data: " + line + "\n";
  return event + "\n";
}

absl::Status FillFromBody(Message& message, const std::string& body) {
  if (body.empty()) return absl::OkStatus();
  const auto status = google::protobuf::util::JsonStringToMessage(body, &message);
  if (!status.ok()) {
    return InvalidArgument("the body is not a {} in JSON: {}", message.GetDescriptor()->name(),
                           std::string(status.message()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Transcoder>> Transcoder::Create(
    const google::protobuf::ServiceDescriptor* service, std::shared_ptr<RpcCaller> caller,
    std::vector<std::string> others) {
  std::unique_ptr<Transcoder> transcoder(new Transcoder);
  transcoder->caller_ = std::move(caller);
  transcoder->others_ = std::move(others);
  for (int i = 0; i < service->method_count(); ++i) {
    const MethodDescriptor* method = service->method(i);
    if (!method->options().HasExtension(google::api::http)) continue;
    const google::api::HttpRule& rule = method->options().GetExtension(google::api::http);
    Route route;
    std::string path;
    switch (rule.pattern_case()) {
      case google::api::HttpRule::kGet:
        route.verb = "GET", path = rule.get();
        break;
      case google::api::HttpRule::kPost:
        route.verb = "POST", path = rule.post();
        break;
      case google::api::HttpRule::kPut:
        route.verb = "PUT", path = rule.put();
        break;
      case google::api::HttpRule::kPatch:
        route.verb = "PATCH", path = rule.patch();
        break;
      case google::api::HttpRule::kDelete:
        route.verb = "DELETE", path = rule.delete_();
        break;
      default:
        return InvalidArgument("{}: its HTTP rule names no verb", method->full_name());
    }
    if (!rule.body().empty() && rule.body() != "*") {
      return InvalidArgument("{}: body \"{}\" is not supported, only \"*\"", method->full_name(),
                             rule.body());
    }
    if (rule.additional_bindings_size() > 0 || !rule.response_body().empty()) {
      return InvalidArgument("{}: additional bindings and response_body are not supported",
                             method->full_name());
    }
    route.body = rule.body() == "*";
    ASSIGN_OR_RETURN(route.path, PathTemplate::Parse(path));
    route.method = method;
    route.rpc_name = fmt::format("/{}/{}", service->full_name(), method->name());
    for (const std::string& variable : route.path.Variables()) {
      if (method->input_type()->FindFieldByName(variable) == nullptr) {
        return InvalidArgument("{}: path variable {} is no field of {}", method->full_name(),
                               variable, method->input_type()->name());
      }
    }
    transcoder->routes_.push_back(std::move(route));
  }
  return transcoder;
}

void Transcoder::Handle(const HttpRequest& request,
                        const std::shared_ptr<HttpResponder>& responder) const {
  std::string allowed;
  for (const Route& route : routes_) {
    const auto variables = route.path.Match(request.path);
    if (!variables) continue;
    if (route.verb != request.method) {
      allowed += (allowed.empty() ? "" : ", ") + route.verb;
      continue;
    }
    const std::unique_ptr<Message> message = NewMessage(route.method->input_type());
    absl::Status status = route.body ? FillFromBody(*message, request.body) : absl::OkStatus();
    const auto query = ParseQuery(request.query);
    if (status.ok() && !query) status = InvalidArgument("the query string is not well formed");
    if (status.ok()) {
      for (const auto& [name, value] : *query) {
        status = SetFromText(*message, name, value);
        if (!status.ok()) break;
      }
    }
    if (status.ok() && !request.last_event_id.empty() &&
        message->GetDescriptor()->FindFieldByName("after_sequence") != nullptr) {
      status = SetFromText(*message, "after_sequence", request.last_event_id);
    }
    // The path is what the client addressed: it wins over body and query.
    for (const auto& [name, value] : *variables) {
      if (status.ok()) status = SetFromText(*message, name, value);
    }
    if (!status.ok()) {
      responder->Send(ProblemOf(status));
      return;
    }
    std::string bytes = message->SerializeAsString();
    if (route.method->server_streaming()) {
      Stream(route, request, std::move(bytes), responder);
    } else {
      Answer(route, request, std::move(bytes), responder);
    }
    return;
  }
  if (!allowed.empty()) {
    HttpResponse response =
        Problem(405, "METHOD_NOT_ALLOWED", fmt::format("{} takes {}", request.path, allowed));
    response.headers.emplace_back("Allow", allowed);
    responder->Send(std::move(response));
    return;
  }
  std::vector<std::string> known = others_;
  for (const Route& route : routes_) known.push_back(route.path.text());
  std::sort(known.begin(), known.end());  // two verbs may share a path
  known.erase(std::unique(known.begin(), known.end()), known.end());
  responder->Send(
      Problem(404, "NOT_FOUND",
              fmt::format("there is no {}; there are: {}", request.path, fmt::join(known, ", "))));
}

void Transcoder::Answer(const Route& route, const HttpRequest& request, std::string request_bytes,
                        const std::shared_ptr<HttpResponder>& responder) const {
  const Descriptor* type = route.method->output_type();
  caller_->Unary(route.rpc_name, request.principal, std::move(request_bytes),
                 [type, responder](const absl::Status& status, const std::string& bytes) {
                   if (!status.ok()) {
                     responder->Send(ProblemOf(status));
                     return;
                   }
                   const auto json = BytesToJson(type, bytes, /*indented=*/true);
                   if (!json.ok()) {
                     responder->Send(ProblemOf(json.status()));
                     return;
                   }
                   HttpResponse response;
                   response.body = *json;
                   responder->Send(std::move(response));
                 });
}

void Transcoder::Stream(const Route& route, const HttpRequest& request, std::string request_bytes,
                        const std::shared_ptr<HttpResponder>& responder) const {
  // The answer's kind is known with the first message or the end: an error before any message is a
  // plain problem document. Callbacks of one call come one after the other, on changing threads.
  struct State {
    std::mutex mutex;
    bool started = false;
    bool gone = false;
    std::shared_ptr<RpcStream> call;
  };
  auto state = std::make_shared<State>();
  const Descriptor* type = route.method->output_type();
  auto call = caller_->ServerStream(
      route.rpc_name, request.principal, std::move(request_bytes),
      [state, responder, type](const std::string& message) {
        const auto json = BytesToJson(type, message, /*indented=*/false);
        if (!json.ok()) return;
        std::lock_guard lock(state->mutex);
        if (!state->started) responder->StartStream("text/event-stream");
        state->started = true;
        responder->WriteChunk(fmt::format("{}data: {}\n\n", EventId(type, message), *json));
      },
      [state, responder](const absl::Status& status) {
        std::shared_ptr<RpcStream> ended;
        std::lock_guard lock(state->mutex);
        state->gone = true;
        ended.swap(state->call);
        if (!state->started) {
          if (!status.ok()) {
            responder->Send(ProblemOf(status));
            return;
          }
          responder->StartStream("text/event-stream");
        }
        if (!status.ok()) {
          responder->WriteChunk(ProblemEvent(status));
        }
        responder->EndStream();
      });
  {
    std::lock_guard lock(state->mutex);
    if (!state->gone) state->call = std::move(call);
  }
  responder->OnClosed([state] {
    std::shared_ptr<RpcStream> cancelled;
    std::lock_guard lock(state->mutex);
    cancelled.swap(state->call);
  });
}

}  // namespace roceready::rest
