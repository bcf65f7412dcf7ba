// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/api/fleet_api.h"
#include "proto/contract/errors.h"
#include "proto/process/durations.h"
#include "tests/support/controller_world.h"

namespace roceready {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

const Caller kViewer{"vera", Role::kViewer};
const Caller kNobody{"host gpu1", std::nullopt};

class VerdictApi : public testing::Test {
 protected:
  using Answer = absl::StatusOr<v1::GetVerdictResponse>;

  Answer Ask(const v1::GetVerdictRequest& request, const Caller& caller = kViewer) {
    Answer answer = absl::UnknownError("not answered");
    api_.GetVerdict(caller, request, [&](Answer given) { answer = std::move(given); });
    world_.loop.RunPending();
    return answer;
  }

  static v1::GetVerdictRequest Of(const std::string& hosts) {
    v1::GetVerdictRequest request;
    request.set_hosts(hosts);
    return request;
  }

  static std::string TextOf(const Answer& answer) { return std::string(Message(answer.status())); }

  ControllerWorld world_;
  FleetApi api_{{.fleet = &world_.fleet,
                 .audits = world_.book.get(),
                 .verdicts = world_.verdicts.get(),
                 .policies = &world_.policies,
                 .switches = &world_.switches,
                 .switch_archive = &world_.switch_archive,
                 .worker = &world_.worker,
                 .finder = &world_.worker,
                 .clock = &world_.clock},
                {.default_policy = "lab"}};
};

TEST_F(VerdictApi, AViewerMayAskAndNobodyElse) {
  world_.Connect("gpu1", 1);
  const Answer answer = Ask(Of("gpu1"));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->verdict().readiness(), v1::READINESS_READY);
  EXPECT_EQ(answer->verdict().policy_name(), "lab");
  EXPECT_EQ(Ask(Of("gpu1"), kNobody).status().code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(VerdictApi, AControllerThatHasJustStartedSaysSoOfHostsItHasNotHeardOf) {
  world_.Connect("gpu1", 1);
  for (const char* hosts : {"gpu[1-2]", "*"}) {
    const Answer answer = Ask(Of(hosts));
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kUnavailable) << hosts;
    EXPECT_THAT(TextOf(answer), HasSubstr("started")) << hosts;
  }
  world_.Pass(kStartTakes);
  const Answer later = Ask(Of("gpu[1-2]"));
  ASSERT_TRUE(later.ok()) << later.status();
  EXPECT_EQ(later->verdict().readiness(), v1::READINESS_UNDETERMINED);
  EXPECT_EQ(Ask(Of("*"))->verdict().coverage().hosts_judged(), 1u);
}

TEST_F(VerdictApi, AfterAStartKeptFactsStandForTheirHostsAsFarAsTheyAreYoungEnough) {
  for (const std::uint32_t number : {1u, 2u}) {
    const std::string host = fmt::format("gpu{}", number);
    builders::HostBuilder builder(host, number);
    builder.facts().mutable_identity()->set_host(host);
    ASSERT_TRUE(world_.fleet.TakeUp(host, builder.facts(), std::chrono::minutes(10)).ok());
  }
  const Answer too_old = Ask(Of("gpu[1-2]"));
  EXPECT_EQ(too_old.status().code(), absl::StatusCode::kUnavailable) << "and not undetermined";
  EXPECT_THAT(TextOf(too_old), HasSubstr("kept from before, of 2024-02-29 23:50:00 UTC"));

  for (const char* hosts : {"gpu[1-2]", "*"}) {
    v1::GetVerdictRequest request = Of(hosts);
    request.mutable_max_age()->set_seconds(3600);
    const Answer answer = Ask(request);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->verdict().readiness(), v1::READINESS_READY);
    EXPECT_EQ(answer->verdict().coverage().hosts_judged(), 2u);
    EXPECT_EQ(answer->verdict().coverage().oldest_fact().seconds(), 600);
  }
}

TEST_F(VerdictApi, AHostThatIsStillSilentWhenTheStartIsOverIsMissing) {
  builders::HostBuilder builder("gpu1", 1);
  ASSERT_TRUE(world_.fleet.TakeUp("gpu1", builder.facts(), seconds(1)).ok());
  v1::GetVerdictRequest request = Of("gpu1");
  request.mutable_max_age()->set_seconds(3600);
  EXPECT_EQ(Ask(request)->verdict().readiness(), v1::READINESS_READY);
  world_.Pass(kStartTakes + seconds(10));
  EXPECT_TRUE(Ask(request).ok());
  const Answer later = Ask(request);
  ASSERT_TRUE(later.ok()) << later.status();
  EXPECT_EQ(later->verdict().readiness(), v1::READINESS_UNDETERMINED);
  ASSERT_EQ(later->causes_size(), 1);
  EXPECT_THAT(later->causes(0).reason(), HasSubstr("not heard since the controller's start"));
}

TEST_F(VerdictApi, MistakesAreSaidWithTheirField) {
  world_.Connect("gpu1", 1);
  world_.Pass(kStartTakes);
  EXPECT_THAT(TextOf(Ask(Of("gpu[1-"))), HasSubstr("column"));
  EXPECT_EQ(Ask(Of("")).status().code(), absl::StatusCode::kInvalidArgument);

  v1::GetVerdictRequest request = Of("gpu1");
  request.set_policy("nonsense");
  EXPECT_EQ(Ask(request).status().code(), absl::StatusCode::kNotFound);

  request = Of("gpu1");
  request.mutable_max_age()->set_seconds(-1);
  EXPECT_THAT(TextOf(Ask(request)), HasSubstr("max_age is negative"));
  request = Of("gpu1");
  request.mutable_max_probe_age()->set_seconds(-1);
  EXPECT_THAT(TextOf(Ask(request)), HasSubstr("max_probe_age is negative"));
  request = Of("gpu1");
  request.mutable_wait()->set_seconds(61);
  EXPECT_THAT(TextOf(Ask(request)), HasSubstr("wait is at most 1 min"));
}

TEST_F(VerdictApi, TheCallersAgesAreTaken) {
  world_.Connect("gpu1", 1);
  world_.Pass(seconds(90));
  EXPECT_EQ(Ask(Of("gpu1"))->verdict().readiness(), v1::READINESS_READY);
  v1::GetVerdictRequest request = Of("gpu1");
  request.mutable_max_age()->set_seconds(60);
  EXPECT_EQ(Ask(request)->verdict().readiness(), v1::READINESS_UNDETERMINED);
  request.mutable_wait()->set_seconds(2);
  EXPECT_EQ(Ask(request)->verdict().readiness(), v1::READINESS_READY);
}

}  // namespace
}  // namespace roceready
