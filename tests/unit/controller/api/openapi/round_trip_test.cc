// SPDX-License-Identifier: Apache-2.0
// The document against the transcoder: what the one says, the other takes and sends.
#include <gmock/gmock.h>
#include <google/protobuf/util/time_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "controller/api/openapi/fleet_document.h"
#include "controller/api/rest/transcoder.h"
#include "roceready/v1/fleet.pb.h"
#include "tests/unit/controller/api/openapi/schema_fit.h"
#include "tests/unit/controller/api/rest_fakes.h"

namespace roceready::openapi {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::MethodDescriptor;
using google::protobuf::Reflection;
using testing::IsEmpty;

std::unique_ptr<Message> New(const Descriptor* type) {
  return std::unique_ptr<Message>(MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// Sets one value of a field that is no message, never to its default.
void SetScalar(Message& message, const FieldDescriptor* field) {
  const Reflection* reflection = message.GetReflection();
  const bool many = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return many ? reflection->AddString(&message, field, "word")
                  : reflection->SetString(&message, field, "word");
    case FieldDescriptor::CPPTYPE_BOOL:
      return many ? reflection->AddBool(&message, field, true)
                  : reflection->SetBool(&message, field, true);
    case FieldDescriptor::CPPTYPE_INT32:
      return many ? reflection->AddInt32(&message, field, -3)
                  : reflection->SetInt32(&message, field, -3);
    case FieldDescriptor::CPPTYPE_UINT32:
      return many ? reflection->AddUInt32(&message, field, 4'000'000'000)
                  : reflection->SetUInt32(&message, field, 4'000'000'000);
    case FieldDescriptor::CPPTYPE_INT64:
      return many ? reflection->AddInt64(&message, field, -5'000'000'000)
                  : reflection->SetInt64(&message, field, -5'000'000'000);
    case FieldDescriptor::CPPTYPE_UINT64:
      return many ? reflection->AddUInt64(&message, field, 18'000'000'000'000'000'000U)
                  : reflection->SetUInt64(&message, field, 18'000'000'000'000'000'000U);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return many ? reflection->AddFloat(&message, field, 0.5F)
                  : reflection->SetFloat(&message, field, 0.5F);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return many ? reflection->AddDouble(&message, field, 0.5)
                  : reflection->SetDouble(&message, field, 0.5);
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* type = field->enum_type();
      const int value = type->value(type->value_count() - 1)->number();
      return many ? reflection->AddEnumValue(&message, field, value)
                  : reflection->SetEnumValue(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;
  }
}

// Everything that can be set, once; a message within itself is left empty.
void FillAll(Message& message, std::vector<const Descriptor*> above) {
  const Descriptor* type = message.GetDescriptor();
  if (type->full_name() == "google.protobuf.Timestamp") {
    message.CopyFrom(google::protobuf::util::TimeUtil::SecondsToTimestamp(1'800'000'000));
    return;
  }
  if (type->full_name() == "google.protobuf.Duration") {
    message.CopyFrom(google::protobuf::util::TimeUtil::MillisecondsToDuration(-1'500));
    return;
  }
  if (std::ranges::find(above, type) != above.end()) return;
  above.push_back(type);
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    if (field->message_type() == nullptr) {
      SetScalar(message, field);
    } else if (field->is_repeated()) {
      FillAll(*message.GetReflection()->AddMessage(&message, field), above);
    } else {
      FillAll(*message.GetReflection()->MutableMessage(&message, field), above);
    }
  }
}

std::vector<std::string> UnsetFields(const Message& message) {
  std::vector<std::string> names;
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message.GetDescriptor()->field(i);
    const bool set = field->is_repeated() ? message.GetReflection()->FieldSize(message, field) > 0
                                          : message.GetReflection()->HasField(message, field);
    if (!set) names.push_back(field->full_name());
  }
  return names;
}

std::string Encoded(const std::string& text) {
  std::string encoded;
  for (const unsigned char c : text) encoded += fmt::format("%{:02X}", c);
  return encoded;
}

// In a query or a path.
std::string TextOf(const Json& value) {
  return Encoded(value.is_string() ? value.get<std::string>() : value.dump());
}

class RoundTripTest : public testing::Test {
 protected:
  RoundTripTest() {
    auto text = FleetDocument("1.2.3");
    EXPECT_TRUE(text.ok()) << text.status();
    document_ = Json::parse(*text);
    auto transcoder = rest::Transcoder::Create(service_, caller_);
    EXPECT_TRUE(transcoder.ok()) << transcoder.status();
    transcoder_ = *std::move(transcoder);
  }

  struct Operation {
    std::string verb;
    std::string path;
    Json object;
  };

  std::vector<Operation> Operations() const {
    std::vector<Operation> operations;
    for (const auto& [path, verbs] : document_["paths"].items()) {
      for (const auto& [verb, object] : verbs.items()) {
        std::string upper = verb;
        std::ranges::transform(upper, upper.begin(), ::toupper);
        operations.push_back({upper, path, object});
      }
    }
    return operations;
  }

  const MethodDescriptor* MethodOf(const Operation& operation) const {
    return service_->FindMethodByName(operation.object["operationId"]);
  }

  // A request as somebody would make it who has only the document.
  rest::HttpRequest ExampleRequest(const Operation& operation) const {
    rest::HttpRequest request{.method = operation.verb, .path = operation.path};
    for (const Json& parameter : operation.object.value("parameters", Json::array())) {
      const std::string name = parameter["name"];
      const Json value = ExampleOf(document_, parameter["schema"]);
      if (parameter["in"] == "path") {
        request.path.replace(request.path.find("{" + name + "}"), name.size() + 2, TextOf(value));
      } else if (parameter["in"] == "query") {
        request.query += fmt::format("{}={}&", name, TextOf(value.is_array() ? value[0] : value));
      }
    }
    if (operation.object.contains("requestBody")) {
      const Json& media = operation.object["requestBody"]["content"]["application/json"];
      request.body = ExampleOf(document_, media["schema"]).dump();
      request.content_type = "application/json";
    }
    return request;
  }

  // What the transcoder sends where the service answers this.
  Json Sent(const Operation& operation, const Message& answer) {
    caller_->response = answer.SerializeAsString();
    const auto responder = std::make_shared<rest::RecordingResponder>();
    transcoder_->Handle(ExampleRequest(operation), responder);
    if (!MethodOf(operation)->server_streaming()) return Json::parse(responder->sent.body);
    caller_->message(answer.SerializeAsString());
    const std::size_t begin = responder->stream.find("data: ") + 6;
    return Json::parse(responder->stream.substr(begin, responder->stream.find('\n', begin)));
  }

  const Json& AnswerSchema(const Operation& operation) const {
    const Json& content = operation.object["responses"]["200"]["content"];
    if (!MethodOf(operation)->server_streaming()) return content["application/json"]["schema"];
    return content["text/event-stream"]["x-roceready-event"];
  }

  const google::protobuf::ServiceDescriptor* service_ =
      v1::ListHostsRequest::descriptor()->file()->FindServiceByName("FleetService");
  Json document_;
  std::shared_ptr<rest::FakeCaller> caller_ = std::make_shared<rest::FakeCaller>();
  std::unique_ptr<rest::Transcoder> transcoder_;
};

TEST_F(RoundTripTest, WhatTheDocumentOffersIsTakenAndReachesEveryField) {
  ASSERT_EQ(Operations().size(), static_cast<std::size_t>(service_->method_count()));
  for (const Operation& operation : Operations()) {
    caller_->last_method.clear();
    const auto responder = std::make_shared<rest::RecordingResponder>();

    transcoder_->Handle(ExampleRequest(operation), responder);

    EXPECT_EQ(caller_->last_method,
              "/roceready.v1.FleetService/" + operation.object["operationId"].get<std::string>())
        << responder->sent.body;
    const auto request = New(MethodOf(operation)->input_type());
    ASSERT_TRUE(request->ParseFromString(caller_->last_request));
    EXPECT_THAT(UnsetFields(*request), IsEmpty());
  }
}

TEST_F(RoundTripTest, WhatIsSentIsAsTheDocumentSays) {
  for (const Operation& operation : Operations()) {
    const auto answer = New(MethodOf(operation)->output_type());
    const std::string name = operation.object["operationId"];
    EXPECT_THAT(Misfits(document_, AnswerSchema(operation), Sent(operation, *answer), name),
                IsEmpty())
        << "of an empty answer";
    FillAll(*answer, {});
    const Json sent = Sent(operation, *answer);
    EXPECT_THAT(Misfits(document_, AnswerSchema(operation), sent, name), IsEmpty());
    EXPECT_EQ(sent.size(), static_cast<std::size_t>(answer->GetDescriptor()->field_count()));
  }
}

TEST_F(RoundTripTest, AMisfitWouldBeSeen) {
  const Json& schema = document_["components"]["schemas"]["AuditProgress"];
  const Json good = {{"hosts_done", 1},     {"hosts_total", 2},    {"probes_done", "3"},
                     {"probes_total", "4"}, {"retests_done", "0"}, {"retests_total", "0"}};
  EXPECT_THAT(Misfits(document_, schema, good, "it"), IsEmpty());
  for (const auto& [member, wrong] : std::vector<std::pair<std::string, Json>>{
           {"hosts_done", "1"}, {"hosts_done", -1}, {"probes_done", 3}, {"more", 1}}) {
    Json bad = good;
    bad[member] = wrong;
    EXPECT_EQ(Misfits(document_, schema, bad, "it").size(), 1U) << bad;
  }
  EXPECT_EQ(Misfits(document_, schema, Json::object(), "it").size(), good.size());
}

}  // namespace
}  // namespace roceready::openapi
