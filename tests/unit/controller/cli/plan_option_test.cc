// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/plan_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "proto/contract/errors.h"

namespace roceready::cli {
namespace {

using testing::HasSubstr;

std::string ErrorOf(std::string_view text) {
  const auto plan = ParsePlan(text);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(Message(plan.status()));
}

TEST(ParsePlan, KnowsEveryKind) {
  const std::map<std::string, v1::PlanKind> kinds = {
      {"none", v1::PLAN_KIND_NONE},       {"pair", v1::PLAN_KIND_PAIR},
      {"ring", v1::PLAN_KIND_RING},       {"rail", v1::PLAN_KIND_RAIL},
      {"full", v1::PLAN_KIND_FULL},       {"sparse:8", v1::PLAN_KIND_SPARSE},
      {"incast:4", v1::PLAN_KIND_INCAST},
  };
  for (const auto& [text, kind] : kinds) {
    const auto plan = ParsePlan(text);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->kind(), kind) << text;
  }
  EXPECT_EQ(ParsePlan("sparse:8")->degree(), 8u);
  EXPECT_EQ(ParsePlan("incast:4")->degree(), 4u);
  EXPECT_EQ(ParsePlan("full")->degree(), 0u);
}

TEST(ParsePlan, SaysWhatItExpectsOfAWordItDoesNotKnow) {
  EXPECT_THAT(ErrorOf("spars:8"), HasSubstr("did you mean sparse?"));
  for (const char* text : {"", "Ring", "ring ", ":8", "spiral"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("none, pair, ring, sparse, rail, full or incast")) << text;
  }
}

TEST(ParsePlan, WantsANumberWhereThereIsOneAndNoneElsewhere) {
  for (const char* text : {"sparse", "sparse:", "sparse:x", "sparse:1", "sparse:0", "sparse:-3",
                           "sparse:8 ", "sparse:8:9", "sparse:99999999999999"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("expected sparse:N with the number of peers")) << text;
  }
  EXPECT_THAT(ErrorOf("incast:1"), HasSubstr("senders to one receiver"));
  for (const char* text : {"ring:2", "full:", "none:0"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("without a number")) << text;
  }
}

}  // namespace
}  // namespace roceready::cli
