// SPDX-License-Identifier: Apache-2.0
#include "controller/status/health.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "controller/api/fleet_api.h"
#include "proto/process/build_info.h"

namespace roceready::status {
namespace {

std::string At(WallTime moment) {
  return fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(
          std::chrono::time_point_cast<std::chrono::system_clock::duration>(moment))));
}

Condition PoliciesCondition(const Standing& standing) {
  const controller::PolicyLoads& loads = standing.loads;
  Condition condition{.name = "policies", .ok = !loads.failing, .reason = ""};
  if (condition.ok) {
    condition.reason =
        fmt::format("{} in force, read at {}", standing.policies, At(loads.last_success));
  } else {
    condition.reason = fmt::format(
        "the policy folder cannot be loaded since {} ({} ago), those read at {} stay in force: {}; "
        "mend it, then reload: systemctl reload roceready-controller",
        At(loads.failing->since), InWords(standing.now - loads.failing->since),
        At(loads.last_success), loads.failing->why);
  }
  return condition;
}

Condition StartCondition(const Standing& standing) {
  Condition condition{.name = "start", .ok = standing.up >= kStartTakes, .reason = ""};
  condition.reason = condition.ok
                         ? fmt::format("up for {}", InWords(standing.up))
                         : fmt::format("up for {}: agents may not all have dialled again before {}",
                                       InWords(standing.up), InWords(kStartTakes));
  return condition;
}

rest::HttpResponse Json(int http_status, const nlohmann::ordered_json& document) {
  rest::HttpResponse response;
  response.status = http_status;
  // A reason may quote a file: bytes that are no UTF-8 are replaced, not thrown over.
  response.body =
      document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return response;
}

}  // namespace

std::vector<Condition> ConditionsOf(const Standing& standing) {
  return {
      {.name = "servers",
       .ok = standing.serving,
       .reason = standing.serving ? standing.listening : "not all ports are listened on yet"},
      PoliciesCondition(standing),
      StartCondition(standing),
      {.name = "running",
       .ok = !standing.stopping,
       .reason = standing.stopping ? "it was told to stop" : "it was not told to stop"},
  };
}

bool AllHold(const std::vector<Condition>& conditions) {
  return std::ranges::all_of(conditions, &Condition::ok);
}

rest::HttpResponse HealthPage() { return Json(200, {{"healthy", true}}); }

rest::HttpResponse ReadyPage(const std::vector<Condition>& conditions) {
  const bool ready = AllHold(conditions);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Condition& condition : conditions) {
    rows.push_back({{"name", condition.name}, {"ok", condition.ok}, {"reason", condition.reason}});
  }
  return Json(ready ? 200 : 503, {{"ready", ready}, {"conditions", rows}});
}

rest::HttpResponse VersionPage(const Version& version) {
  return Json(200, {{"software_version", SoftwareVersion()},
                    {"build", {{"compiler", __VERSION__}}},
                    {"epoch", version.epoch},
                    {"started_at", At(version.started)},
                    {"api", v1::Host::descriptor()->file()->package()},
                    {"agent_protocol_minor", kProtocolMinor}});
}

}  // namespace roceready::status
