// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/verdict_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/contract/errors.h"

namespace roceready::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::GetVerdictResponse Response(v1::Readiness readiness) {
  v1::GetVerdictResponse response;
  response.mutable_verdict()->set_readiness(readiness);
  response.mutable_verdict()->mutable_coverage()->mutable_oldest_fact()->set_seconds(12);
  return response;
}

v1::Finding& AddCause(v1::GetVerdictResponse& response, const std::string& check_id,
                      const std::string& label, const std::string& actual) {
  v1::Finding& cause = *response.add_causes();
  cause.set_check_id(check_id);
  cause.mutable_subject()->set_host("gpu1");
  cause.mutable_subject()->set_label(label);
  cause.set_status(v1::CHECK_STATUS_FAIL);
  cause.set_severity(v1::SEVERITY_BLOCKS);
  cause.set_actual(actual);
  return cause;
}

TEST(Gate, LetsASetThatIsReadyPassAndSaysWhatThatRestsOn) {
  v1::GetVerdictResponse response = Response(v1::READINESS_READY);
  GateDecision decision = DecideGate(response, {});
  EXPECT_TRUE(decision.allowed);
  EXPECT_FALSE(decision.worth_logging);
  EXPECT_EQ(decision.reason, "ready, facts up to 12 s old, no probes");

  response.mutable_oldest_probe()->set_seconds(3 * 3600 + 20 * 60);
  EXPECT_EQ(DecideGate(response, {}).reason,
            "ready, facts up to 12 s old, probes up to 3 h 20 min");
}

TEST(Gate, KeepsAHostOutThatIsSetAside) {
  v1::GetVerdictResponse response = Response(v1::READINESS_READY);
  response.mutable_verdict()->mutable_coverage()->add_hosts_in_maintenance("gpu1");
  response.mutable_verdict()->mutable_coverage()->add_hosts_in_maintenance("gpu2");
  const GateDecision decision =
      DecideGate(response, {.allow_unavailable = true, .allow_undetermined = true});
  EXPECT_FALSE(decision.allowed);
  EXPECT_TRUE(decision.worth_logging);
  EXPECT_EQ(decision.reason, "in maintenance: gpu[1-2] (`roceready maintenance list` says why)");
}

TEST(Gate, KeepsASetThatIsNotReadyOutAndNamesTheFirstCauses) {
  v1::GetVerdictResponse response = Response(v1::READINESS_NOT_READY);
  for (const char* place : {"gpu1 eth0", "gpu2 eth0", "gpu3 eth0", "gpu4 eth0"}) {
    AddCause(response, "mtu.netdev", place, "MTU 1500");
  }
  response.set_more_causes(7);
  const GateDecision decision =
      DecideGate(response, {.allow_unavailable = true, .allow_undetermined = true});
  EXPECT_FALSE(decision.allowed);
  EXPECT_TRUE(decision.worth_logging);
  EXPECT_EQ(decision.reason,
            "not ready, mtu.netdev gpu1 eth0: MTU 1500; mtu.netdev gpu2 eth0: MTU 1500; "
            "mtu.netdev gpu3 eth0: MTU 1500; and 8 more");
}

TEST(Gate, DoesNotDrainAClusterWhereTheControllerIsAway) {
  const absl::Status away = Unavailable("cannot reach c:7472:\nconnection refused");
  const GateDecision allowed = DecideGate(away, {});
  EXPECT_TRUE(allowed.allowed);
  EXPECT_TRUE(allowed.worth_logging);
  EXPECT_EQ(allowed.reason, "nothing is known, cannot reach c:7472: connection refused");
  EXPECT_FALSE(DecideGate(away, {.allow_unavailable = false}).allowed);
}

// A policy that was renamed must not open the gate for good.
TEST(Gate, AQuestionThatTheControllerRefusesIsNoPassUnlessAskedFor) {
  for (const absl::Status& refusal :
       {NotFound("there is no policy '{}'", "lossles"), InvalidArgument("hosts: a bracket is open"),
        MakeError(absl::StatusCode::kPermissionDenied, "viewers only")}) {
    const GateDecision decision = DecideGate(refusal, {});
    EXPECT_FALSE(decision.allowed) << refusal;
    EXPECT_TRUE(decision.worth_logging);
    EXPECT_THAT(decision.reason, HasSubstr("the controller refuses the question"));
    EXPECT_TRUE(DecideGate(refusal, {.allow_undetermined = true}).allowed);
  }
  for (const absl::StatusCode no_answer :
       {absl::StatusCode::kUnavailable, absl::StatusCode::kDeadlineExceeded,
        absl::StatusCode::kResourceExhausted, absl::StatusCode::kUnimplemented}) {
    EXPECT_TRUE(DecideGate(MakeError(no_answer, "away"), {}).allowed);
  }
}

TEST(Gate, UnknownIsNoPassUnlessAskedFor) {
  v1::GetVerdictResponse response = Response(v1::READINESS_UNDETERMINED);
  v1::Finding& cause = AddCause(response, "host.heard-from", "", "");
  cause.set_status(v1::CHECK_STATUS_UNKNOWN);
  cause.set_reason("not heard for 3 min");
  EXPECT_FALSE(DecideGate(response, {}).allowed);
  EXPECT_EQ(DecideGate(response, {}).reason,
            "undetermined, host.heard-from gpu1: unknown, not heard for 3 min");
  EXPECT_TRUE(DecideGate(response, {.allow_undetermined = true}).allowed);
  // An answer of a later version that says something else.
  EXPECT_FALSE(DecideGate(Response(v1::READINESS_UNSPECIFIED), {}).allowed);
}

TEST(Gate, LetsNoHostWriteIntoTheLog) {
  v1::GetVerdictResponse response = Response(v1::READINESS_NOT_READY);
  AddCause(response, "mtu.netdev", "gpu1 eth0", "MTU\n\x1b[2J 1500");
  EXPECT_THAT(DecideGate(response, {}).reason, Not(HasSubstr("\x1b")));
  EXPECT_THAT(DecideGate(response, {}).reason, Not(HasSubstr("\n")));
}

TEST(Verdict, ShowsTheCausesAndWhatTheyRestOn) {
  v1::GetVerdictResponse response = Response(v1::READINESS_NOT_READY);
  response.mutable_verdict()->set_blocking(1);
  AddCause(response, "mtu.netdev", "gpu1 eth0", "MTU 1500");
  response.set_more_causes(2);
  response.add_probed_by("a7-3");
  response.mutable_oldest_probe()->set_seconds(300);
  const std::string text = RenderVerdict(response, {});
  EXPECT_THAT(text, HasSubstr("NOT READY"));
  EXPECT_THAT(text, HasSubstr("MTU 1500"));
  EXPECT_THAT(text, HasSubstr("2 more causes"));
  EXPECT_THAT(text, HasSubstr("facts up to 12 s old, probes up to 5 min (audits a7-3)"));
}

}  // namespace
}  // namespace roceready::cli
