// SPDX-License-Identifier: Apache-2.0
#include "controller/status/pages.h"

#include <algorithm>
#include <utility>

#include "controller/api/require.h"
#include "controller/api/rest/negotiation.h"
#include "controller/api/rest/problem.h"

namespace roceready::status {
namespace {

constexpr char kHealth[] = "/healthz";
constexpr char kMetrics[] = "/metrics";
constexpr char kReady[] = "/readyz";
constexpr char kVersion[] = "/version";

constexpr Duration kHealthPatience = std::chrono::seconds(2);
// Prometheus waits for 10 s: the metrics of a slow loop are to be had, a stuck one is to be told.
constexpr Duration kMetricsPatience = std::chrono::seconds(8);

}  // namespace

Pages::Pages(Tools tools)
    : tools_(std::move(tools)),
      health_(tools_.loop, tools_.sources.watch, kHealthPatience,
              [](const LoopPage::Done& done) { done(HealthPage()); }),
      ready_(
          tools_.loop, tools_.sources.watch, kHealthPatience,
          [this](const LoopPage::Done& done) { done(ReadyPage(ConditionsOf(tools_.standing()))); }),
      metrics_(tools_.loop, tools_.sources.watch, kMetricsPatience,
               [this](LoopPage::Done done) { MakeMetrics(std::move(done)); }) {}

const std::vector<std::string>& Pages::Paths() {
  static const std::vector<std::string> kPaths = {kHealth, kMetrics, kReady, kVersion};
  return kPaths;
}

absl::Status Pages::MayLook(const rest::HttpRequest& request) const {
  if (tools_.trust_everybody) return absl::OkStatus();
  const PeerIdentity identity = DecodeIdentity(request.principal);
  return Require({.name = identity.Describe(), .role = identity.role}, Role::kViewer);
}

bool Pages::Handle(const rest::HttpRequest& request,
                   const std::shared_ptr<rest::HttpResponder>& responder) {
  if (std::ranges::find(Paths(), request.path) == Paths().end()) return false;
  if (const absl::Status may = MayLook(request); !may.ok()) {
    responder->Send(rest::ProblemOf(may));
  } else if (request.method != "GET" && request.method != "HEAD") {
    responder->Send(rest::OtherMethod(request, "GET, HEAD"));
  } else if (request.path == kHealth) {
    health_.Answer(responder);
  } else if (request.path == kReady) {
    ready_.Answer(responder);
  } else if (request.path == kMetrics) {
    metrics_.Answer(responder);
  } else {
    responder->Send(VersionPage(tools_.sources.version));
  }
  return true;
}

void Pages::MakeMetrics(LoopPage::Done done) const {
  auto families =
      std::make_shared<Families>(Gather(tools_.sources, ConditionsOf(tools_.standing())));
  tools_.worker->Run(
      [families, done = std::move(done), root = tools_.root,
       started = tools_.sources.version.started] {
        AddProcess(root, started, families.get());
        rest::HttpResponse response;
        response.content_type = kMetricsContentType;
        response.body = TextOf(*families);
        done(std::move(response));
      },
      [] {});
}

}  // namespace roceready::status
