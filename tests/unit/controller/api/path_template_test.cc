// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/path_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready::rest {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

TEST(PathTemplate, TakesVariablesFromWholeSegments) {
  const auto path = PathTemplate::Parse("/v1/hosts/{host}/facts");
  ASSERT_TRUE(path.ok());

  EXPECT_THAT(path->Match("/v1/hosts/gpu017/facts"), Optional(ElementsAre(Pair("host", "gpu017"))));
  EXPECT_THAT(path->Match("/v1/hosts/a%2Fb/facts"), Optional(ElementsAre(Pair("host", "a/b"))));
}

TEST(PathTemplate, RefusesAnotherShape) {
  const auto path = PathTemplate::Parse("/v1/hosts/{host}/facts");
  ASSERT_TRUE(path.ok());

  for (const char* other :
       {"/v1/hosts/gpu017", "/v1/hosts//facts", "/v1/hosts/a/facts/", "v1/hosts/a/facts",
        "/v1/hosts/%zz/facts", "/v1/hosts/%00/facts", "/v1/hosts/a%2/facts", "", "/"}) {
    EXPECT_EQ(path->Match(other), std::nullopt) << other;
  }
}

TEST(PathTemplate, RefusesLanguageThatItDoesNotKnow) {
  for (const char* text :
       {"v1/hosts", "/v1/{name=**}", "/v1/*/x", "/v1/hosts/{host}:cancel", "/v1//x", "/v1/{}"}) {
    EXPECT_FALSE(PathTemplate::Parse(text).ok()) << text;
  }
}

TEST(ParseQuery, DecodesInOrder) {
  EXPECT_THAT(
      ParseQuery("hosts=gpu%5B1-4%5D&policy=a+b&&flag"),
      Optional(ElementsAre(Pair("hosts", "gpu[1-4]"), Pair("policy", "a b"), Pair("flag", ""))));
  EXPECT_EQ(ParseQuery("a=%G1"), std::nullopt);
}

}  // namespace
}  // namespace roceready::rest
