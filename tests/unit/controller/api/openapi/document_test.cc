// SPDX-License-Identifier: Apache-2.0
#include "controller/api/openapi/document.h"

#include <gmock/gmock.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <set>

#include "controller/api/openapi/fleet_document.h"
#include "google/api/annotations.pb.h"
#include "roceready/v1/fleet.pb.h"
#include "tests/unit/controller/api/openapi/schema_fit.h"

namespace roceready::openapi {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MethodDescriptor;
using testing::HasSubstr;

class DocumentTest : public testing::Test {
 protected:
  DocumentTest() {
    auto text = FleetDocument("1.2.3");
    EXPECT_TRUE(text.ok()) << text.status();
    document_ = Json::parse(*text);
  }

  const Json& Schema(const std::string& name) const {
    return document_["components"]["schemas"].at(name);
  }

  // Where the method's http option has it.
  const Json& OperationOf(const MethodDescriptor* method) const {
    const google::api::HttpRule& rule = method->options().GetExtension(google::api::http);
    const bool get = !rule.get().empty();
    return document_["paths"].at(get ? rule.get() : rule.post()).at(get ? "get" : "post");
  }

  // Of parameters in the path and the query, and of members of the body.
  std::set<std::string> WhatCanBeGiven(const Json& operation) const {
    std::set<std::string> names;
    for (const Json& parameter : operation.value("parameters", Json::array())) {
      if (parameter["in"] != "header") names.insert(parameter["name"]);
    }
    if (operation.contains("requestBody")) {
      const Json& media = operation["requestBody"]["content"]["application/json"];
      for (const auto& [name, member] :
           Resolved(document_, media["schema"])["properties"].items()) {
        names.insert(name);
      }
    }
    return names;
  }

  // That is missing in the document, with all below it.
  void FindMissing(const Descriptor* type, std::set<const Descriptor*>& seen,
                   std::vector<std::string>& missing) const {
    if (type->file()->package() != "roceready.v1" || !seen.insert(type).second) return;
    const Json schema = document_["components"]["schemas"].value(type->name(), Json::object());
    if (schema.empty()) missing.push_back(type->full_name());
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor* field = type->field(i);
      if (!schema.value("properties", Json::object()).contains(field->name())) {
        missing.push_back(field->full_name());
      }
      const Descriptor* below = field->is_map() ? field->message_type()->map_value()->message_type()
                                                : field->message_type();
      if (below != nullptr) FindMissing(below, seen, missing);
      if (field->enum_type() == nullptr) continue;
      const Json names = document_["components"]["schemas"]
                             .value(field->enum_type()->name(), Json::object())
                             .value("enum", Json::array());
      if (names.size() != static_cast<std::size_t>(field->enum_type()->value_count())) {
        missing.push_back(field->enum_type()->full_name());
      }
    }
  }

  const google::protobuf::ServiceDescriptor* service_ =
      v1::ListHostsRequest::descriptor()->file()->FindServiceByName("FleetService");
  Json document_;
};

TEST_F(DocumentTest, HasEveryMethodWithEveryFieldOfItsRequest) {
  for (int i = 0; i < service_->method_count(); ++i) {
    const MethodDescriptor* method = service_->method(i);
    const Json& operation = OperationOf(method);
    EXPECT_EQ(operation["operationId"], method->name());
    std::set<std::string> fields;
    for (int f = 0; f < method->input_type()->field_count(); ++f) {
      fields.insert(method->input_type()->field(f)->name());
    }
    EXPECT_EQ(WhatCanBeGiven(operation), fields) << method->name();
  }
}

TEST_F(DocumentTest, HasEveryFieldOfEveryAnswerAndBody) {
  std::set<const Descriptor*> seen;
  std::vector<std::string> missing;
  for (int i = 0; i < service_->method_count(); ++i) {
    FindMissing(service_->method(i)->output_type(), seen, missing);
  }
  FindMissing(v1::CreateAuditRequest::descriptor(), seen, missing);
  FindMissing(v1::ImportSwitchesRequest::descriptor(), seen, missing);
  EXPECT_THAT(missing, testing::IsEmpty());
  EXPECT_GT(seen.size(), 100U);
  for (const Descriptor* within : {v1::Gid::descriptor(), v1::SwitchFacts::descriptor()}) {
    EXPECT_TRUE(seen.contains(within)) << within->name();
  }
}

// Calls `visit` with every object in the document.
template <typename Visit>
void ForEachObject(const Json& json, const Visit& visit) {
  if (json.is_object()) visit(json);
  if (!json.is_structured()) return;
  for (const Json& one : json) ForEachObject(one, visit);
}

TEST_F(DocumentTest, EveryReferenceLeadsSomewhereAndEverySchemaIsReferredTo) {
  std::set<std::string> referred;
  ForEachObject(document_, [&](const Json& object) {
    if (!object.contains("$ref") || !object["$ref"].is_string()) return;
    const std::string reference = object["$ref"];
    EXPECT_TRUE(document_.contains(Json::json_pointer(reference.substr(1)))) << reference;
    referred.insert(reference);
  });
  for (const auto& [name, schema] : document_["components"]["schemas"].items()) {
    EXPECT_TRUE(referred.contains("#/components/schemas/" + name)) << name;
  }
}

TEST_F(DocumentTest, HasTheCommentsOfTheProtoFiles) {
  EXPECT_EQ(Schema("Host")["properties"]["fact_age"]["description"],
            "Of the fact read longest ago.");
  EXPECT_THAT(Schema("HostState")["description"].get<std::string>(),
              HasSubstr("* `HOST_STATE_CONNECTED`: A live agent with fresh facts.\n"));
  EXPECT_THAT(document_["paths"]["/v1/verdict"]["get"]["description"].get<std::string>(),
              testing::StartsWith("Judges what is known, at once: the facts that the agents have "
                                  "sent, and what the probes of earlier audits found."));
}

TEST_F(DocumentTest, TypesAreAsProtobufWritesThem) {
  EXPECT_EQ(Schema("AuditProgress")["properties"]["probes_done"]["type"], "string");
  EXPECT_EQ(Schema("AuditProgress")["properties"]["hosts_done"]["type"], "integer");
  EXPECT_EQ(Schema("Audit")["properties"]["created_at"]["format"], "date-time");
  EXPECT_EQ(Schema("Host")["properties"]["labels"]["additionalProperties"]["type"], "string");
  EXPECT_EQ(Schema("Finding")["properties"]["evidence"]["items"]["$ref"],
            "#/components/schemas/Evidence");
}

TEST_F(DocumentTest, RequiresOfAnAnswerWhatIsAlwaysThereAndOfARequestNothing) {
  const Json host = Schema("Host")["required"];
  EXPECT_NE(std::find(host.begin(), host.end(), "state_reason"), host.end());
  EXPECT_EQ(std::find(host.begin(), host.end(), "clock_offset"), host.end());
  EXPECT_FALSE(Schema("CreateAuditRequest").contains("required"));
  EXPECT_FALSE(Schema("SwitchFacts").contains("required"));
}

TEST_F(DocumentTest, SaysWhichErrorsAnOperationAnswers) {
  const auto answers = [&](const std::string& method, const std::string& status) {
    return OperationOf(service_->FindMethodByName(method))["responses"].contains(status);
  };
  EXPECT_TRUE(answers("CreateAudit", "409"));
  EXPECT_TRUE(answers("CreateAudit", "429"));
  EXPECT_TRUE(answers("GetVerdict", "429"));
  EXPECT_FALSE(answers("ListHosts", "429"));
  EXPECT_FALSE(answers("CancelAudit", "409"));
  EXPECT_TRUE(answers("GetHost", "404"));
  EXPECT_FALSE(answers("ListHosts", "404"));
  EXPECT_FALSE(answers("ListHosts", "413"));
  EXPECT_TRUE(answers("ListHosts", "403"));
  EXPECT_TRUE(answers("ListHosts", "304"));
  EXPECT_FALSE(answers("WatchAudit", "304"));
  EXPECT_FALSE(answers("CreateAudit", "304"));
  EXPECT_TRUE(answers("CreateAudit", "415"));
}

TEST_F(DocumentTest, AStreamIsOneOfServerSentEvents) {
  const Json& watch = document_["paths"]["/v1/audits/{audit_id}/events"]["get"];
  EXPECT_EQ(watch["responses"]["200"]["content"]["text/event-stream"]["x-roceready-event"]["$ref"],
            "#/components/schemas/WatchAuditResponse");
  EXPECT_EQ(watch["parameters"].back()["name"], "Last-Event-ID");
}

TEST_F(DocumentTest, TellsHowARequestIsRepeated) {
  const auto headers = [&](const std::string& method) {
    std::vector<std::string> names;
    const Json& operation = OperationOf(service_->FindMethodByName(method));
    for (const Json& parameter : operation.value("parameters", Json::array())) {
      if (parameter["in"] == "header") names.push_back(parameter["name"]);
    }
    return names;
  };
  EXPECT_THAT(headers("CreateAudit"), testing::ElementsAre("Idempotency-Key"));
  EXPECT_THAT(headers("CancelAudit"), testing::IsEmpty());
  EXPECT_THAT(headers("GetHost"), testing::ElementsAre("If-None-Match"));
  EXPECT_THAT(headers("WatchAudit"), testing::ElementsAre("Last-Event-ID"));
}

// tests/service holds it against the certificates.
TEST_F(DocumentTest, TellsTheRoleThatAMethodNeeds) {
  EXPECT_EQ(OperationOf(service_->FindMethodByName("ListHosts"))["x-roceready-role"], "viewer");
  EXPECT_EQ(OperationOf(service_->FindMethodByName("CreateAudit"))["x-roceready-role"], "operator");
}

TEST_F(DocumentTest, AsksForACertificate) {
  EXPECT_EQ(document_["openapi"], "3.1.0");
  EXPECT_EQ(document_["info"]["version"], "1.2.3");
  const std::string scheme = document_["security"][0].begin().key();
  EXPECT_EQ(document_["components"]["securitySchemes"][scheme]["type"], "mutualTLS");
}

// A service with one method, at GET /v1/odd, that takes a google.protobuf.Any.
TEST(Document, ATypeWhoseFormItDoesNotKnowIsRefused) {
  google::protobuf::DescriptorPool pool(google::protobuf::DescriptorPool::generated_pool());
  google::protobuf::FileDescriptorProto file;
  file.set_name("odd.proto");
  file.set_syntax("proto3");
  file.set_package("odd");
  file.add_dependency(google::protobuf::Any::descriptor()->file()->name());
  auto* message = file.add_message_type();
  message->set_name("Odd");
  auto* field = message->add_field();
  field->set_name("anything");
  field->set_number(1);
  field->set_type(google::protobuf::FieldDescriptorProto::TYPE_MESSAGE);
  field->set_label(google::protobuf::FieldDescriptorProto::LABEL_OPTIONAL);
  field->set_type_name(".google.protobuf.Any");
  auto* service = file.add_service();
  service->set_name("OddService");
  auto* method = service->add_method();
  method->set_name("GetOdd");
  method->set_input_type(".odd.Odd");
  method->set_output_type(".odd.Odd");
  method->mutable_options()->MutableExtension(google::api::http)->set_get("/v1/odd");
  const auto* built = pool.BuildFile(file);
  ASSERT_NE(built, nullptr);

  const auto text = DocumentOf(built->FindServiceByName("OddService"), "1");

  EXPECT_EQ(text.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(text.status().message()), HasSubstr("google.protobuf.Any"));
}

}  // namespace
}  // namespace roceready::openapi
