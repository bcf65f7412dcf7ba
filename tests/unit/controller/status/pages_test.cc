// SPDX-License-Identifier: Apache-2.0
#include "controller/status/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/controller_world.h"
#include "tests/unit/controller/status/recording_responder.h"

namespace roceready::status {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

class PagesTest : public testing::Test {
 protected:
  static Pages::Tools ToolsOf(PagesTest* test) {
    Pages::Tools tools;
    tools.loop = &test->world_.loop;
    tools.worker = &test->world_.worker;
    tools.standing = [test] { return test->standing_; };
    tools.sources = {.loop = &test->world_.loop,
                     .watch = &test->watch_,
                     .fleet = &test->world_.fleet,
                     .switches = &test->world_.switches,
                     .prober = &test->world_.prober,
                     .audits = test->world_.book.get(),
                     .api = &test->api_,
                     .policies = &test->world_.policies,
                     .loads = &test->standing_.loads,
                     .version = {.epoch = 7, .started = {}}};
    return tools;
  }

  rest::HttpResponse Ask(const std::string& path, const std::string& method = "GET",
                         std::optional<Role> role = Role::kViewer) {
    PeerIdentity identity;
    identity.hosts = {"gpu1"};
    identity.role = role;
    auto responder = std::make_shared<RecordingResponder>();
    EXPECT_TRUE(pages_.Handle(
        {.method = method, .path = path, .principal = EncodeIdentity(identity)}, responder));
    world_.loop.RunPending();
    EXPECT_TRUE(responder->sent.has_value()) << path;
    return responder->sent.value_or(rest::HttpResponse{.status = 0});
  }

  ControllerWorld world_;
  LoopWatch watch_{&world_.loop};
  Standing standing_;
  FleetApi api_{{.fleet = &world_.fleet,
                 .audits = world_.book.get(),
                 .verdicts = world_.verdicts.get(),
                 .policies = &world_.policies,
                 .switches = &world_.switches,
                 .worker = &world_.worker,
                 .finder = &world_.worker,
                 .clock = &world_.clock},
                {.default_policy = "lab"}};
  Pages pages_{ToolsOf(this)};
};

TEST_F(PagesTest, EachPathHasItsPage) {
  EXPECT_EQ(Ask("/healthz").status, 200);
  EXPECT_THAT(Ask("/healthz").body, HasSubstr("\"healthy\": true"));
  const rest::HttpResponse ready = Ask("/readyz");
  EXPECT_EQ(ready.status, 503) << "nothing is served yet";
  EXPECT_EQ(ready.content_type, "application/json");
  EXPECT_THAT(ready.body, HasSubstr("\"ready\": false"));
  EXPECT_THAT(Ask("/version").body, HasSubstr("\"epoch\": 7"));
  const rest::HttpResponse metrics = Ask("/metrics");
  EXPECT_EQ(metrics.content_type, kMetricsContentType);
  EXPECT_THAT(metrics.body, HasSubstr("\nroceready_controller_epoch 7\n"));
  EXPECT_THAT(metrics.body, HasSubstr("\nprocess_open_fds "));
}

TEST_F(PagesTest, TakeGetAndHeadAndNothingElse) {
  for (const std::string& path : Pages::Paths()) {
    EXPECT_EQ(Ask(path, "HEAD").status, Ask(path).status) << path;
    const rest::HttpResponse refused = Ask(path, "POST");
    EXPECT_EQ(refused.status, 405) << path;
    EXPECT_EQ(refused.content_type, "application/problem+json");
    EXPECT_THAT(refused.headers, Contains(Pair("Allow", "GET, HEAD, OPTIONS")));
  }
}

TEST_F(PagesTest, AreForViewersAsTheRestOfRest) {
  for (const std::string& path : Pages::Paths()) {
    const rest::HttpResponse refused = Ask(path, "GET", std::nullopt);
    EXPECT_EQ(refused.status, 403) << path;
    EXPECT_THAT(refused.body, HasSubstr("this needs the role viewer, and host gpu1 has none"));
  }
}

TEST_F(PagesTest, OtherPathsAreNotTheirs) {
  for (const char* path : {"/", "/v1/hosts", "/metrics/", "/healthz2", "/metrics/x"}) {
    const auto responder = std::make_shared<RecordingResponder>();
    EXPECT_FALSE(pages_.Handle({.method = "GET", .path = path}, responder)) << path;
    EXPECT_FALSE(responder->sent.has_value());
  }
}

}  // namespace
}  // namespace roceready::status
