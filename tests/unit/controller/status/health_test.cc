// SPDX-License-Identifier: Apache-2.0
#include "controller/status/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/api/fleet_api.h"
#include "proto/contract/errors.h"
#include "proto/process/build_info.h"
#include "tests/support/fake_clock.h"

namespace roceready::status {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

Standing Ready(const FakeClock& clock) {
  Standing standing;
  standing.serving = true;
  standing.listening = "REST on [::]:7473";
  standing.up = kStartTakes;
  standing.policies = 7;
  standing.now = clock.Wall();
  standing.loads.Note(absl::OkStatus(), clock.Wall());
  return standing;
}

// Of the one condition that does not hold.
std::string WhyNot(const Standing& standing, const std::string& name) {
  std::string reason;
  for (const Condition& condition : ConditionsOf(standing)) {
    EXPECT_EQ(condition.ok, condition.name != name) << condition.name;
    if (!condition.ok) reason = condition.reason;
  }
  return reason;
}

TEST(Health, IsReadyWhereEveryConditionHolds) {
  const FakeClock clock;
  EXPECT_EQ(WhyNot(Ready(clock), "none of them"), "");
  const rest::HttpResponse page = ReadyPage(ConditionsOf(Ready(clock)));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("\"ready\": true"));
  EXPECT_THAT(page.body, HasSubstr("7 in force, read at 2024-03-01T00:00:00Z"));
}

TEST(Health, SaysWhyAndSinceWhenAReloadFails) {
  FakeClock clock;
  Standing standing = Ready(clock);
  clock.Advance(minutes(1));
  standing.loads.Note(InvalidArgument("lab.yaml:4:18: found 9"), clock.Wall());
  clock.Advance(minutes(2));
  standing.loads.Note(InvalidArgument("lab.yaml:5:1: found\xff 8"), clock.Wall());
  standing.now = clock.Wall();
  EXPECT_EQ(standing.loads.failures, 2u);

  const std::string why = WhyNot(standing, "policies");
  EXPECT_THAT(why, HasSubstr("since 2024-03-01T00:01:00Z (2 min 0 s ago)"));
  EXPECT_THAT(why, HasSubstr("read at 2024-03-01T00:00:00Z stay in force"));
  EXPECT_THAT(why, HasSubstr("lab.yaml:5:1: found"));
  EXPECT_THAT(why, HasSubstr("systemctl reload"));
  EXPECT_EQ(ReadyPage(ConditionsOf(standing)).status, 503);

  standing.loads.Note(absl::OkStatus(), clock.Wall());
  EXPECT_EQ(WhyNot(standing, "none of them"), "");
}

TEST(Health, IsNotReadyWhileItStartsOrStops) {
  const FakeClock clock;
  Standing standing = Ready(clock);
  standing.up -= std::chrono::milliseconds(1);
  EXPECT_THAT(WhyNot(standing, "start"), HasSubstr("before 2 min 0 s"));
  standing = Ready(clock);
  standing.stopping = true;
  EXPECT_EQ(WhyNot(standing, "running"), "it was told to stop");
  standing = Ready(clock);
  standing.serving = false;
  EXPECT_NE(WhyNot(standing, "servers"), "");
}

TEST(Health, SaysWhichControllerItIs) {
  const FakeClock clock;
  const std::string body = VersionPage({.epoch = 7, .started = clock.Wall()}).body;
  EXPECT_THAT(body, HasSubstr(fmt::format("\"software_version\": \"{}\"", SoftwareVersion())));
  EXPECT_THAT(body, HasSubstr("\"epoch\": 7"));
  EXPECT_THAT(body, HasSubstr("\"api\": \"roceready.v1\""));
  EXPECT_THAT(body, HasSubstr("\"started_at\": \"2024-03-01T00:00:00Z\""));
}

}  // namespace
}  // namespace roceready::status
