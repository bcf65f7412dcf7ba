// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/problem.h"

#include <gtest/gtest.h>

#include "proto/contract/errors.h"

namespace roceready::yaml {
namespace {

TEST(Problem, IsRenderedAsCompilersDo) {
  EXPECT_EQ((Problem{"a.yaml", {14, 3}, "intent.mtu_bytes", "found 1"}).Render(),
            "a.yaml:14:3: intent.mtu_bytes: found 1");
  EXPECT_EQ((Problem{"a.yaml", {}, "", "found 1"}).Render(), "a.yaml: found 1");
}

TEST(ToStatus, CarriesEveryProblem) {
  const absl::Status status = ToStatus({{"a", {1, 1}, "", "one"}, {"a", {2, 1}, "", "two"}});

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), "a:1:1: one\na:2:1: two");
  EXPECT_TRUE(ToStatus({}).ok());
}

TEST(Quote, KeepsTerminalsAndLinesWhole) {
  EXPECT_EQ(Quote("a\nb\"c"), "\"a\\x0ab\\\"c\"");
  EXPECT_EQ(Quote(std::string(50, 'x')), "\"" + std::string(40, 'x') + "...\"");
  EXPECT_EQ(Quote("\xc3\xa4"), "\"\xc3\xa4\"");
}

TEST(DidYouMean, NamesTheNearestKnownWord) {
  const std::vector<std::string> known = {"roce_dscp", "roce_priority", "cnp_dscp"};

  EXPECT_EQ(DidYouMean("rocedscp", known), " (did you mean roce_dscp?)");
  EXPECT_EQ(DidYouMean("roce-priority", known), " (did you mean roce_priority?)");
  EXPECT_EQ(DidYouMean("Cnp_Dscp", known), " (did you mean cnp_dscp?)");
  EXPECT_EQ(DidYouMean("roce_prio", known), " (did you mean roce_priority?)");
  EXPECT_EQ(DidYouMean("firewall", known), "");
  EXPECT_EQ(DidYouMean("x", {"id"}), "");
  EXPECT_EQ(DidYouMean(std::string(100, 'a'), {std::string(99, 'a')}), "");
}

TEST(OneOf, ReadsLikeASentence) {
  EXPECT_EQ(OneOf({"a"}), "a");
  EXPECT_EQ(OneOf({"a", "b"}), "a or b");
  EXPECT_EQ(OneOf({"a", "b", "c"}), "a, b or c");
}

}  // namespace
}  // namespace roceready::yaml
