// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/transcoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "proto/contract/errors.h"
#include "roceready/v1/fleet.pb.h"
#include "tests/unit/controller/api/rest_fakes.h"

namespace roceready::rest {
namespace {

using testing::HasSubstr;

HttpRequest Post(std::string path, std::string body) {
  return {.method = "POST",
          .path = std::move(path),
          .body = std::move(body),
          .content_type = "application/json"};
}

std::string HeaderOf(const HttpResponse& response, const std::string& name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

class TranscoderTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = Transcoder::Create(
        v1::ListHostsRequest::descriptor()->file()->FindServiceByName("FleetService"), caller_);
    ASSERT_TRUE(made.ok()) << made.status();
    transcoder_ = *std::move(made);
  }

  std::shared_ptr<RecordingResponder> Ask(const HttpRequest& request) {
    auto responder = std::make_shared<RecordingResponder>();
    transcoder_->Handle(request, responder);
    return responder;
  }

  template <typename Message>
  Message Sent() const {
    Message message;
    EXPECT_TRUE(message.ParseFromString(caller_->last_request));
    return message;
  }

  std::shared_ptr<FakeCaller> caller_ = std::make_shared<FakeCaller>();
  std::unique_ptr<Transcoder> transcoder_;
};

TEST_F(TranscoderTest, FillsTheRequestFromPathAndQuery) {
  Ask({.method = "GET",
       .path = "/v1/hosts/gpu017/facts",
       .query = "read_mask=net_devices%2Ckernel&with_counters=true",
       .principal = "sre"});

  EXPECT_EQ(caller_->last_method, "/roceready.v1.FleetService/GetHostFacts");
  EXPECT_EQ(caller_->last_principal, "sre");
  const auto request = Sent<v1::GetHostFactsRequest>();
  EXPECT_EQ(request.host(), "gpu017");
  EXPECT_TRUE(request.with_counters());
  ASSERT_EQ(request.read_mask().paths_size(), 2);
  EXPECT_EQ(request.read_mask().paths(0), "net_devices");
}

TEST_F(TranscoderTest, FillsTheRequestFromTheBodyAndLetsThePathWin) {
  Ask(Post("/v1/audits/a1-7/cancel", R"({"audit_id": "other", "reason": "wrong hosts"})"));

  const auto request = Sent<v1::CancelAuditRequest>();
  EXPECT_EQ(request.audit_id(), "a1-7");
  EXPECT_EQ(request.reason(), "wrong hosts");
}

TEST_F(TranscoderTest, AnswersWithOriginalFieldNamesAndDefaults) {
  v1::ListHostsResponse hosts;
  v1::Host* host = hosts.add_hosts();
  host->set_host("gpu017");
  host->set_state(v1::HOST_STATE_STALE);
  caller_->response = hosts.SerializeAsString();

  const auto answer = Ask({.method = "GET", .path = "/v1/hosts"});

  EXPECT_EQ(answer->sent.status, 200);
  const auto json = nlohmann::json::parse(answer->sent.body);
  EXPECT_EQ(json["hosts"][0]["state"], "HOST_STATE_STALE");
  EXPECT_EQ(json["hosts"][0]["state_reason"], "");
  EXPECT_TRUE(json.contains("next_page_token"));
}

TEST_F(TranscoderTest, RepeatedEnumsComeFromRepeatedParameters) {
  Ask({.method = "GET",
       .path = "/v1/audits/a1-7/findings",
       .query = "statuses=CHECK_STATUS_FAIL&statuses=3&page_size=10"});

  const auto request = Sent<v1::ListFindingsRequest>();
  ASSERT_EQ(request.statuses_size(), 2);
  EXPECT_EQ(request.statuses(0), v1::CHECK_STATUS_FAIL);
  EXPECT_EQ(request.statuses(1), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_EQ(request.page_size(), 10u);
}

TEST_F(TranscoderTest, RefusesWhatDoesNotFitAndNamesIt) {
  const std::vector<std::pair<HttpRequest, std::string>> cases = {
      {{.method = "GET", .path = "/v1/hosts", .query = "nonsense=1"},
       "of ListHostsRequest; there are: hosts, page_size, page_token"},
      {{.method = "GET", .path = "/v1/hosts", .query = "page_size=-1"}, "page_size"},
      {{.method = "GET", .path = "/v1/hosts", .query = "page_size=99999999999"}, "page_size"},
      {{.method = "GET", .path = "/v1/audits/a/findings", .query = "statuses=MAYBE"},
       "is not a CheckStatus: CHECK_STATUS_PASS, CHECK_STATUS_FAIL"},
      {{.method = "GET", .path = "/v1/hosts/a/facts", .query = "with_counters=perhaps"},
       "with_counters"},
      {{.method = "GET", .path = "/v1/hosts", .query = "hosts=%"}, "query"},
      {{.method = "GET", .path = "/v1/hosts", .query = "hosts=a%FF"}, "hosts: byte 2"},
      {{.method = "GET", .path = "/v1/hosts/%FF"}, "host: byte 1"},
      {Post("/v1/audits", "{"), "body"},
      {Post("/v1/audits", R"({"hostz": "a"})"), "hostz"},
      {Post("/v1/audits", R"({"plan": {"kind": "PLAN_KIND_SPIRAL"}})"), "plan.kind"},
      {Post("/v1/audits", R"({"timeout": "soon"})"), "timeout"},
      {{.method = "POST", .path = "/v1/audits", .query = "plan=1"}, "plan"},
  };
  for (const auto& [request, word] : cases) {
    caller_->last_method.clear();
    const auto answer = Ask(request);
    EXPECT_EQ(answer->sent.status, 400) << request.query << request.body;
    EXPECT_EQ(answer->sent.content_type, "application/problem+json");
    EXPECT_THAT(answer->sent.body, HasSubstr(word));
    EXPECT_EQ(caller_->last_method, "");
  }
}

TEST_F(TranscoderTest, SaysWhichVerbsAPathTakes) {
  const auto answer = Ask({.method = "DELETE", .path = "/v1/audits"});

  EXPECT_EQ(answer->sent.status, 405);
  EXPECT_EQ(HeaderOf(answer->sent, "Allow"), "POST, GET, HEAD, OPTIONS");
  EXPECT_EQ(HeaderOf(Ask({.method = "HEAD", .path = "/v1/audits/a1-7/cancel"})->sent, "Allow"),
            "POST, OPTIONS");
  const auto options = Ask({.method = "OPTIONS", .path = "/v1/audits"});
  EXPECT_EQ(options->sent.status, 204);
  EXPECT_EQ(HeaderOf(options->sent, "Allow"), "POST, GET, HEAD, OPTIONS");
  EXPECT_EQ(Ask({.method = "OPTIONS", .path = "/v2"})->sent.status, 404);
  const auto nowhere = Ask({.method = "GET", .path = "/v2/hosts"});
  EXPECT_EQ(nowhere->sent.status, 404);
  EXPECT_THAT(nowhere->sent.body, HasSubstr("there is no /v2/hosts; there are: /v1/audits, "
                                            "/v1/audits/{audit_id}, "));
}

TEST_F(TranscoderTest, NamesAlsoThePathsThatAreAnsweredElsewhere) {
  const auto made = Transcoder::Create(
      v1::ListHostsRequest::descriptor()->file()->FindServiceByName("FleetService"), caller_,
      {"/metrics"});
  ASSERT_TRUE(made.ok()) << made.status();
  const auto responder = std::make_shared<RecordingResponder>();
  (*made)->Handle({.method = "GET", .path = "/metric"}, responder);
  EXPECT_EQ(responder->sent.status, 404);
  EXPECT_THAT(responder->sent.body, HasSubstr("there is no /metric; there are: /metrics, /v1/"));
}

TEST_F(TranscoderTest, TurnsServiceErrorsIntoProblemDocuments) {
  caller_->status = NotFound("no audit \"a1-99\"; the newest is a1-7");

  const auto answer = Ask({.method = "GET", .path = "/v1/audits/a1-99"});

  EXPECT_EQ(answer->sent.status, 404);
  const auto json = nlohmann::json::parse(answer->sent.body);
  EXPECT_EQ(json["type"], "roceready://problem/NOT_FOUND");
  EXPECT_EQ(json["title"], "NOT_FOUND");
  EXPECT_EQ(json["status"], 404);
  EXPECT_THAT(json["detail"].get<std::string>(), HasSubstr("a1-99"));
}

TEST_F(TranscoderTest, HeadIsAskedAsGetIs) {
  Ask({.method = "HEAD", .path = "/v1/hosts", .query = "hosts=gpu1"});

  EXPECT_EQ(caller_->last_method, "/roceready.v1.FleetService/ListHosts");
  EXPECT_EQ(Sent<v1::ListHostsRequest>().hosts(), "gpu1");
}

TEST_F(TranscoderTest, AnAnswerToGetMayBeKept) {
  const auto first = Ask({.method = "GET", .path = "/v1/checks"});
  const std::string tag = HeaderOf(first->sent, "ETag");
  EXPECT_NE(tag, "");

  EXPECT_EQ(Ask({.method = "GET", .path = "/v1/checks", .if_none_match = tag})->sent.status, 304);
  v1::ListChecksResponse changed;
  changed.add_checks()->set_check_id("pfc.lossless-priority");
  caller_->response = changed.SerializeAsString();
  EXPECT_EQ(Ask({.method = "GET", .path = "/v1/checks", .if_none_match = tag})->sent.status, 200);
  caller_->response.clear();
  EXPECT_EQ(HeaderOf(Ask(Post("/v1/audits", "{}"))->sent, "ETag"), "");
  caller_->status = NotFound("no such host");
  EXPECT_EQ(HeaderOf(Ask({.method = "GET", .path = "/v1/hosts/a"})->sent, "ETag"), "");
}

TEST_F(TranscoderTest, RefusesContentThatOneSideDoesNotTake) {
  const auto html = Ask({.method = "GET", .path = "/v1/hosts", .accept = "text/html"});
  EXPECT_EQ(html->sent.status, 406);
  EXPECT_EQ(Ask({.method = "GET", .path = "/v1/audits/a1-7/events", .accept = "application/json"})
                ->sent.status,
            406);
  HttpRequest form = Post("/v1/audits", "hosts=a");
  form.content_type = "application/x-www-form-urlencoded";
  EXPECT_EQ(Ask(form)->sent.status, 415);
  HttpRequest unsaid = Post("/v1/audits", "{}");
  unsaid.content_type = "";
  EXPECT_EQ(Ask(unsaid)->sent.status, 415);
  EXPECT_EQ(caller_->last_method, "");
  HttpRequest with_charset = Post("/v1/audits", "{}");
  with_charset.content_type = "Application/JSON; charset=utf-8";
  EXPECT_EQ(Ask(with_charset)->sent.status, 200);
  EXPECT_EQ(Ask({.method = "POST", .path = "/v1/audits/a1-7/cancel"})->sent.status, 200)
      << "without a body there is nothing to say of it";
}

TEST_F(TranscoderTest, AnIdempotencyKeyIsTheRequestId) {
  HttpRequest create = Post("/v1/audits", R"({"hosts": "a"})");
  for (const char* key : {"8e03978e", "\"8e03978e\""}) {
    create.idempotency_key = key;
    Ask(create);
    EXPECT_EQ(Sent<v1::CreateAuditRequest>().request_id(), "8e03978e");
  }
  create.body = R"({"hosts": "a", "request_id": "8e03978e"})";
  EXPECT_EQ(Ask(create)->sent.status, 200);
  create.body = R"({"hosts": "a", "request_id": "other"})";
  const auto two = Ask(create);
  EXPECT_EQ(two->sent.status, 400);
  EXPECT_THAT(two->sent.body, HasSubstr("request_id is"));

  HttpRequest cancel = Post("/v1/audits/a1-7/cancel", "{}");
  cancel.idempotency_key = "8e03978e";
  EXPECT_EQ(Ask(cancel)->sent.status, 200) << "it can be repeated as it is";
}

TEST_F(TranscoderTest, StreamsEventsWithTheirSequence) {
  const auto answer =
      Ask({.method = "GET", .path = "/v1/audits/a1-7/events", .last_event_id = "41"});
  EXPECT_EQ(Sent<v1::WatchAuditRequest>().after_sequence(), 41u);

  v1::WatchAuditResponse event;
  event.set_sequence(42);
  event.set_state(v1::AUDIT_STATE_PROBING);
  caller_->message(event.SerializeAsString());
  caller_->end(absl::OkStatus());

  EXPECT_EQ(answer->stream_type, "text/event-stream");
  EXPECT_THAT(answer->stream, testing::StartsWith("id: 42\ndata: {"));
  EXPECT_THAT(answer->stream, HasSubstr("AUDIT_STATE_PROBING"));
  EXPECT_THAT(answer->stream, testing::EndsWith("}\n\n"));
  EXPECT_TRUE(answer->stream_ended);
}

TEST_F(TranscoderTest, AnErrorBeforeTheFirstEventIsAPlainProblem) {
  const auto answer = Ask({.method = "GET", .path = "/v1/audits/a9/events"});

  caller_->end(NotFound("no audit \"a9\""));

  EXPECT_EQ(answer->sent.status, 404);
  EXPECT_EQ(answer->stream_type, "");
}

TEST_F(TranscoderTest, AnErrorAfterTheFirstEventIsAProblemEvent) {
  const auto answer = Ask({.method = "GET", .path = "/v1/audits/a1-7/events"});
  caller_->message(v1::WatchAuditResponse().SerializeAsString());

  caller_->end(Unavailable("the controller stops"));

  EXPECT_THAT(answer->stream, HasSubstr("\n\nevent: problem\ndata: {\n"));
  EXPECT_THAT(answer->stream, HasSubstr("data:   \"detail\": \"the controller stops\""));
  EXPECT_TRUE(answer->stream_ended);
}

TEST_F(TranscoderTest, CancelsTheCallWhenTheClientLeaves) {
  const auto answer = Ask({.method = "GET", .path = "/v1/audits/a1-7/events"});
  ASSERT_FALSE(caller_->cancelled);

  answer->closed();

  EXPECT_TRUE(caller_->cancelled);
}

}  // namespace
}  // namespace roceready::rest
