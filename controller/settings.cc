// SPDX-License-Identifier: Apache-2.0
#include "controller/settings.h"

#include "controller/fleet/host_record.h"
#include "controller/store/audit_keeper.h"
#include "controller/store/facts_keeper.h"
#include "proto/contract/errors.h"
#include "proto/process/durations.h"
#include "proto/process/endpoint.h"
#include "proto/process/tls_identity.h"
#include "proto/yaml/config_file.h"

namespace roceready::controller {
namespace {

constexpr Duration kDefaultPingInterval = std::chrono::seconds(5);
constexpr Duration kDefaultLease = std::chrono::seconds(20);
constexpr Duration kShortestPingInterval = std::chrono::milliseconds(500);

Settings WithDefaults(const v1::ControllerConfig& config) {
  const auto text = [](bool given, const std::string& value, std::string_view otherwise) {
    return given ? value : std::string(otherwise);
  };
  Settings settings;
  settings.agent_listen = text(config.has_agent_listen(), config.agent_listen(), "[::]:7471");
  settings.api_listen = text(config.has_api_listen(), config.api_listen(), "[::]:7472");
  settings.rest_listen = text(config.has_rest_listen(), config.rest_listen(), "[::]:7473");
  settings.tls = config.tls();
  settings.plain_text = config.insecure_loopback();
  settings.state_directory =
      text(config.has_state_directory(), config.state_directory(), "/var/lib/roceready/controller");
  settings.policy_directory =
      text(config.has_policy_directory(), config.policy_directory(), "/etc/roceready/policies");
  settings.default_policy =
      text(config.has_default_policy(), config.default_policy(), "lossless-dscp");
  settings.log_level = text(config.log().has_level(), config.log().level(), "info");
  settings.ping_interval =
      config.has_ping_interval() ? FromProto(config.ping_interval()) : kDefaultPingInterval;
  settings.lease = config.has_lease() ? FromProto(config.lease()) : kDefaultLease;
  const v1::HistorySettings& history = config.history();
  settings.audits_kept = history.has_audits() ? history.audits() : AuditKeeper::kKept;
  settings.events_kept = history.has_events() ? history.events() : FactsKeeper::kEventsKept;
  return settings;
}

absl::Status CheckTimes(const Settings& settings) {
  if (settings.ping_interval < kShortestPingInterval) {
    return InvalidArgument("ping_interval: found {}, expected at least {}",
                           InWords(settings.ping_interval), InWords(kShortestPingInterval));
  }
  if (settings.lease < 2 * settings.ping_interval) {
    return InvalidArgument(
        "lease: found {}, expected at least twice the ping_interval ({}): one lost ping must not "
        "end a stream",
        InWords(settings.lease), InWords(settings.ping_interval));
  }
  return absl::OkStatus();
}

absl::Status CheckTransport(const Settings& settings, bool has_tls, WallTime now) {
  if (!settings.plain_text) {
    if (!has_tls) {
      return InvalidArgument(
          "tls: missing; it names the CA, the controller's certificate and its key "
          "(`roceready-controller pki` can make them)");
    }
    return CheckTlsFiles(settings.tls, now);
  }
  for (const std::string& listen :
       {settings.agent_listen, settings.api_listen, settings.rest_listen}) {
    if (!IsLoopback(listen)) {
      return InvalidArgument("insecure_loopback: \"{}\" is not a loopback address; use TLS",
                             listen);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Settings> ReadSettings(const std::string& path, WallTime now) {
  v1::ControllerConfig config;
  RETURN_IF_ERROR(yaml::ReadConfigFile(path, config));
  Settings settings = WithDefaults(config);
  for (const auto& [key, listen] : {std::pair("agent_listen", settings.agent_listen),
                                    std::pair("api_listen", settings.api_listen),
                                    std::pair("rest_listen", settings.rest_listen)}) {
    if (absl::Status status = CheckEndpoint(listen); !status.ok()) {
      return WithContext(status, fmt::format("{}: {}", path, key));
    }
  }
  RETURN_IF_ERROR(WithContext(CheckTimes(settings), path));
  RETURN_IF_ERROR(WithContext(CheckTransport(settings, config.has_tls(), now), path));
  return settings;
}

}  // namespace roceready::controller
