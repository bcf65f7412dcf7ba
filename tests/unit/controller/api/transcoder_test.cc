// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/transcoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "proto/contract/errors.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready::rest {
namespace {

using testing::HasSubstr;

// Remembers the call; answers what the test set.
class FakeCaller : public RpcCaller {
 public:
  void Unary(const std::string& method, const std::string& principal, std::string request,
             Done done) override {
    last_method = method;
    last_principal = principal;
    last_request = std::move(request);
    done(status, response);
  }

  std::shared_ptr<RpcStream> ServerStream(const std::string& method, const std::string& principal,
                                          std::string request, OnMessage on_message,
                                          OnEnd on_end) override {
    last_method = method;
    last_principal = principal;
    last_request = std::move(request);
    message = std::move(on_message);
    end = std::move(on_end);
    struct Handle : RpcStream {
      explicit Handle(bool& flag) : cancelled(flag) {}
      ~Handle() override { cancelled = true; }
      bool& cancelled;
    };
    return std::make_shared<Handle>(cancelled);
  }

  std::string last_method, last_principal, last_request;
  absl::Status status;
  std::string response;
  OnMessage message;
  OnEnd end;
  bool cancelled = false;
};

class RecordingResponder : public HttpResponder {
 public:
  void Send(HttpResponse response) override { sent = std::move(response); }
  void StartStream(std::string content_type) override { stream_type = std::move(content_type); }
  void WriteChunk(std::string chunk) override { stream += chunk; }
  void EndStream() override { stream_ended = true; }
  void AnswerBy(std::chrono::nanoseconds, std::function<HttpResponse()>) override {}
  void OnClosed(std::function<void()> callback) override { closed = std::move(callback); }

  HttpResponse sent;
  std::string stream_type, stream;
  bool stream_ended = false;
  std::function<void()> closed;
};

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
  Ask({.method = "POST",
       .path = "/v1/audits/a1-7/cancel",
       .body = R"({"audit_id": "other", "reason": "wrong hosts"})"});

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
      {{.method = "POST", .path = "/v1/audits", .body = "{"}, "body"},
      {{.method = "POST", .path = "/v1/audits", .body = R"({"hostz": "a"})"}, "hostz"},
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
  ASSERT_EQ(answer->sent.headers.size(), 1u);
  EXPECT_EQ(answer->sent.headers[0].first, "Allow");
  EXPECT_THAT(answer->sent.headers[0].second, HasSubstr("POST"));
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
  EXPECT_EQ(json["title"], "NOT_FOUND");
  EXPECT_EQ(json["status"], 404);
  EXPECT_THAT(json["detail"].get<std::string>(), HasSubstr("a1-99"));
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
