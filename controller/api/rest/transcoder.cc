// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/transcoder.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <mutex>
#include <sstream>

#include "controller/api/rest/negotiation.h"
#include "controller/api/rest/problem.h"
#include "proto/contract/errors.h"

namespace roceready::rest {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kEventStream = "text/event-stream";

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

// The header stands for the field request_id, in methods that have one.
absl::Status FillFromIdempotencyKey(Message& message, std::string_view key) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName("request_id");
  if (field == nullptr || key.empty()) return absl::OkStatus();
  // A string of structured fields (RFC 8941) has quotes; many clients send the bare key.
  if (key.size() >= 2 && key.front() == '"' && key.back() == '"') {
    key = key.substr(1, key.size() - 2);
  }
  const std::string given = message.GetReflection()->GetString(message, field);
  if (!given.empty() && given != key) {
    return InvalidArgument(
        "request_id is \"{}\", and the header Idempotency-Key says \"{}\": give one of them", given,
        key);
  }
  return SetFromText(message, field->name(), std::string(key));
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

absl::Status Fill(Message& message, const HttpRoute& route,
                  const std::map<std::string, std::string>& variables, const HttpRequest& request) {
  if (route.body) RETURN_IF_ERROR(FillFromBody(message, request.body));
  const auto query = ParseQuery(request.query);
  if (!query) return InvalidArgument("the query string is not well formed");
  for (const auto& [name, value] : *query) RETURN_IF_ERROR(SetFromText(message, name, value));
  RETURN_IF_ERROR(FillFromIdempotencyKey(message, request.idempotency_key));
  if (!request.last_event_id.empty() &&
      message.GetDescriptor()->FindFieldByName("after_sequence") != nullptr) {
    RETURN_IF_ERROR(SetFromText(message, "after_sequence", request.last_event_id));
  }
  // The path is what the client addressed: it wins over body and query.
  for (const auto& [name, value] : variables) RETURN_IF_ERROR(SetFromText(message, name, value));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Transcoder>> Transcoder::Create(
    const google::protobuf::ServiceDescriptor* service, std::shared_ptr<RpcCaller> caller,
    std::vector<std::string> others) {
  std::unique_ptr<Transcoder> transcoder(new Transcoder);
  transcoder->caller_ = std::move(caller);
  transcoder->others_ = std::move(others);
  ASSIGN_OR_RETURN(std::vector<HttpRoute> routes, HttpRoutesOf(service));
  for (HttpRoute& route : routes) {
    std::string rpc_name = fmt::format("/{}/{}", service->full_name(), route.method->name());
    transcoder->routes_.push_back({std::move(route), std::move(rpc_name)});
  }
  return transcoder;
}

void Transcoder::Handle(const HttpRequest& request,
                        const std::shared_ptr<HttpResponder>& responder) const {
  std::vector<std::string> takes;
  for (const Route& route : routes_) {
    const auto variables = route.path.Match(request.path);
    if (!variables) continue;
    // The server leaves the body of the answer to HEAD out.
    if (request.method == route.verb || (request.method == "HEAD" && route.verb == "GET")) {
      return Serve(route, *variables, request, responder);
    }
    takes.push_back(route.verb);
    if (route.verb == "GET") takes.emplace_back("HEAD");
  }
  if (takes.empty()) return responder->Send(NothingThere(request.path));
  responder->Send(OtherMethod(request, fmt::format("{}", fmt::join(takes, ", "))));
}

HttpResponse Transcoder::NothingThere(const std::string& path) const {
  std::vector<std::string> known = others_;
  for (const Route& route : routes_) known.push_back(route.path.text());
  std::sort(known.begin(), known.end());  // two verbs may share a path
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return Problem(404, "NOT_FOUND",
                 fmt::format("there is no {}; there are: {}", path, fmt::join(known, ", ")));
}

void Transcoder::Serve(const Route& route, const std::map<std::string, std::string>& variables,
                       const HttpRequest& request,
                       const std::shared_ptr<HttpResponder>& responder) const {
  const bool streams = route.method->server_streaming();
  const std::string_view type = streams ? kEventStream : kJson;
  if (!Accepts(request.accept, type)) return responder->Send(NotAcceptable(request, type));
  if (route.body && !request.body.empty() && !IsJson(request.content_type)) {
    return responder->Send(UnsupportedMediaType(request));
  }
  const std::unique_ptr<Message> message = NewMessage(route.method->input_type());
  if (absl::Status filled = Fill(*message, route, variables, request); !filled.ok()) {
    return responder->Send(ProblemOf(filled));
  }
  std::string bytes = message->SerializeAsString();
  if (streams) {
    Stream(route, request, std::move(bytes), responder);
  } else {
    Answer(route, request, std::move(bytes), responder);
  }
}

void Transcoder::Answer(const Route& route, const HttpRequest& request, std::string request_bytes,
                        const std::shared_ptr<HttpResponder>& responder) const {
  const Descriptor* type = route.method->output_type();
  const bool may_be_kept = route.verb == "GET";
  caller_->Unary(
      route.rpc_name, request.principal, std::move(request_bytes),
      [type, responder, may_be_kept, kept = request.if_none_match](const absl::Status& status,
                                                                   const std::string& bytes) {
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
        responder->Send(may_be_kept ? WithETag(std::move(response), kept) : std::move(response));
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
        if (!state->started) responder->StartStream(std::string(kEventStream));
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
          responder->StartStream(std::string(kEventStream));
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
