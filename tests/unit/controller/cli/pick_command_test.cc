// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/pick_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "proto/contract/errors.h"

namespace roceready::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Hosts = std::vector<std::string>;

v1::GetVerdictResponse Ready() {
  v1::GetVerdictResponse response;
  response.mutable_verdict()->set_readiness(v1::READINESS_READY);
  return response;
}

v1::GetVerdictResponse NotReady(const Hosts& blocked) {
  v1::GetVerdictResponse response;
  response.mutable_verdict()->set_readiness(v1::READINESS_NOT_READY);
  for (const std::string& host : blocked) response.mutable_verdict()->add_hosts_blocked(host);
  response.add_causes()->set_check_id("mtu.netdev");
  response.mutable_causes(0)->set_actual("MTU 1500");
  return response;
}

TEST(PickReady, ASetThatIsReadyIsTakenWhole) {
  const auto picked = PickReady({"a1", "a2"}, [](const Hosts&) { return Ready(); });
  ASSERT_TRUE(picked.ok()) << picked.status();
  EXPECT_THAT(picked->ready, ElementsAre("a1", "a2"));
  EXPECT_THAT(picked->left_out, IsEmpty());
}

TEST(PickReady, LeavesOutRoundByRoundWhatKeepsTheRestFromBeingReady) {
  // Without a2 it shows that a4 is wrong as well.
  const auto judge = [](const Hosts& hosts) {
    for (const char* wrong : {"a2", "a4"}) {
      if (std::find(hosts.begin(), hosts.end(), wrong) != hosts.end()) return NotReady({wrong});
    }
    return Ready();
  };
  const auto picked = PickReady({"a1", "a2", "a3", "a4", "a5"}, judge);
  ASSERT_TRUE(picked.ok()) << picked.status();
  EXPECT_THAT(picked->ready, ElementsAre("a1", "a3", "a5"));
  EXPECT_THAT(picked->left_out, ElementsAre("a2", "a4"));
}

TEST(PickReady, TakesNoHostThatIsSetAside) {
  const auto picked = PickReady({"a1", "a2", "a3"}, [](const Hosts& hosts) {
    v1::GetVerdictResponse response = Ready();
    if (std::find(hosts.begin(), hosts.end(), "a2") != hosts.end()) {
      response.mutable_verdict()->mutable_coverage()->add_hosts_in_maintenance("a2");
    }
    return response;
  });
  ASSERT_TRUE(picked.ok()) << picked.status();
  EXPECT_THAT(picked->ready, ElementsAre("a1", "a3"));
  EXPECT_THAT(picked->left_out, ElementsAre("a2"));
}

TEST(PickReady, SaysWhyNoHostIsReady) {
  const auto none = PickReady({"a1"}, [](const Hosts& hosts) { return NotReady(hosts); });
  EXPECT_EQ(none.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Message(none.status())), HasSubstr("mtu.netdev: MTU 1500"));
}

TEST(PickReady, EndsWhereNoHostIsToBlame) {
  const auto picked = PickReady({"a1", "a2"}, [](const Hosts&) { return NotReady({}); });
  EXPECT_EQ(picked.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(PickReady, PassesOnThatNobodyAnswers) {
  const auto picked = PickReady({"a1"}, [](const Hosts&) -> absl::StatusOr<v1::GetVerdictResponse> {
    return Unavailable("the controller is away");
  });
  EXPECT_EQ(picked.status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace roceready::cli
