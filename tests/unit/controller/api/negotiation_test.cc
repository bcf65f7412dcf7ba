// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/negotiation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/api/rest/fixed_document.h"
#include "tests/unit/controller/api/rest_fakes.h"

namespace roceready::rest {
namespace {

using testing::HasSubstr;

std::string Header(const HttpResponse& response, const std::string& name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(Accepts, TheTypeItsGroupOrEverything) {
  const std::string json = "application/json";
  for (const char* yes :
       {"", " ", "*/*", "application/*", "application/json", "Application/JSON",
        "text/html, application/json;q=0.1", "text/html,*/*;q=0.8",
        "application/json; charset=utf-8", "text/*;q=0, */*", "application/json;q=0.001"}) {
    EXPECT_TRUE(Accepts(yes, json)) << yes;
  }
  for (const char* no :
       {"text/html", "text/*", "application/json;q=0", "application/json; q=0.000, */*", "app/*",
        "*/*;q=0", "application/jsonx", "application/*;q=0, */*;q=1", "nonsense"}) {
    EXPECT_FALSE(Accepts(no, json)) << no;
  }
}

TEST(WithETag, IsOfTheContent) {
  const HttpResponse one = WithETag({.body = "a"}, "");
  EXPECT_EQ(one.status, 200);
  EXPECT_EQ(one.body, "a");
  EXPECT_EQ(Header(one, "ETag").size(), 34U);
  EXPECT_EQ(Header(one, "Cache-Control"), "private, no-cache");
  EXPECT_EQ(Header(one, "ETag"), Header(WithETag({.body = "a"}, ""), "ETag"));
  EXPECT_NE(Header(one, "ETag"), Header(WithETag({.body = "b"}, ""), "ETag"));
}

TEST(WithETag, WhoHasItIsToldSo) {
  const std::string tag = Header(WithETag({.body = "a"}, ""), "ETag");
  for (const std::string& known : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    const HttpResponse answer = WithETag({.body = "a"}, known);
    EXPECT_EQ(answer.status, 304) << known;
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(Header(answer, "ETag"), tag);
  }
  for (const std::string& known : {std::string("\"other\""), tag.substr(1), std::string(",")}) {
    EXPECT_EQ(WithETag({.body = "a"}, known).status, 200) << known;
  }
}

class FixedDocumentTest : public testing::Test {
 protected:
  HttpResponse Ask(const HttpRequest& request) {
    const auto responder = std::make_shared<RecordingResponder>();
    EXPECT_TRUE(document_.Handle(request, responder));
    return responder->sent;
  }

  const FixedDocument document_{"/v1/openapi.json", "{}\n"};
};

TEST_F(FixedDocumentTest, IsGivenToWhoeverAsksAndOnlyOnce) {
  const HttpResponse first = Ask({.method = "GET", .path = "/v1/openapi.json"});
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.content_type, "application/json");
  EXPECT_EQ(first.body, "{}\n");

  const HttpResponse again =
      Ask({.method = "GET", .path = "/v1/openapi.json", .if_none_match = Header(first, "ETag")});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(Ask({.method = "HEAD", .path = "/v1/openapi.json"}).body, "{}\n")
      << "the server leaves it out";
}

TEST_F(FixedDocumentTest, RefusesWhatItIsNot) {
  const HttpResponse post = Ask({.method = "POST", .path = "/v1/openapi.json"});
  EXPECT_EQ(post.status, 405);
  EXPECT_EQ(Header(post, "Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(post.content_type, "application/problem+json");
  const HttpResponse options = Ask({.method = "OPTIONS", .path = "/v1/openapi.json"});
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.body, "");
  EXPECT_EQ(Header(options, "Allow"), "GET, HEAD, OPTIONS");
  const HttpResponse yaml =
      Ask({.method = "GET", .path = "/v1/openapi.json", .accept = "application/yaml"});
  EXPECT_EQ(yaml.status, 406);
  EXPECT_THAT(yaml.body, HasSubstr("answers application/json, which the header"));
  EXPECT_FALSE(document_.Handle({.method = "GET", .path = "/v1/openapi"},
                                std::make_shared<RecordingResponder>()));
}

}  // namespace
}  // namespace roceready::rest
