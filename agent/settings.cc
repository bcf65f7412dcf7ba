// SPDX-License-Identifier: Apache-2.0
#include "agent/settings.h"

#include "proto/contract/errors.h"
#include "proto/process/durations.h"
#include "proto/process/endpoint.h"
#include "proto/process/tls_identity.h"
#include "proto/yaml/config_file.h"

namespace roceready::agent {
namespace {

constexpr char kDefaultStateDirectory[] = "/var/lib/roceready/agent";
constexpr Duration kDefaultCollectInterval = std::chrono::seconds(60);
constexpr Duration kDefaultSourceDeadline = std::chrono::seconds(2);

template <typename T>
T ValueOr(bool given, const T& value, const T& otherwise) {
  return given ? value : otherwise;
}

Settings WithDefaults(const v1::AgentConfig& config) {
  Settings settings;
  settings.controller = config.controller();
  settings.tls = config.tls();
  settings.plain_text = config.insecure_loopback();
  settings.state_directory = ValueOr<std::string>(config.has_state_directory(),
                                                  config.state_directory(), kDefaultStateDirectory);
  settings.status_socket = ValueOr<std::string>(config.has_status_socket(), config.status_socket(),
                                                kDefaultStatusSocket);
  settings.log_level = ValueOr<std::string>(config.log().has_level(), config.log().level(), "info");
  settings.collect_interval = ValueOr(
      config.has_collect_interval(), FromProto(config.collect_interval()), kDefaultCollectInterval);
  settings.source_deadline = ValueOr(config.has_source_deadline(),
                                     FromProto(config.source_deadline()), kDefaultSourceDeadline);
  settings.probes = config.probes();
  return settings;
}

absl::StatusOr<std::string> HostName(const v1::AgentConfig& config, WallTime now) {
  if (config.insecure_loopback()) {
    if (!IsLoopback(config.controller())) {
      return InvalidArgument("insecure_loopback: \"{}\" is not this machine; use TLS",
                             config.controller());
    }
    if (!IsHostName(config.host())) {
      return InvalidArgument("host: needed with insecure_loopback, where no certificate names it");
    }
    return config.host();
  }
  if (!config.has_tls()) {
    return InvalidArgument("tls: missing; it names the CA, this host's certificate and its key");
  }
  RETURN_IF_ERROR(CheckTlsFiles(config.tls(), now));
  ASSIGN_OR_RETURN(const PeerIdentity identity,
                   IdentityOfCertificateFile(config.tls().certificate()));
  return HostOfIdentity(identity, config.host());
}

}  // namespace

absl::StatusOr<Settings> ReadSettings(const std::string& path, WallTime now) {
  v1::AgentConfig config;
  RETURN_IF_ERROR(yaml::ReadConfigFile(path, config));
  if (const absl::Status status = CheckEndpoint(config.controller()); !status.ok()) {
    return WithContext(status, fmt::format("{}: controller", path));
  }
  Settings settings = WithDefaults(config);
  absl::StatusOr<std::string> host = HostName(config, now);
  if (!host.ok()) return WithContext(host.status(), path);
  settings.host = *std::move(host);
  return settings;
}

absl::StatusOr<std::string> ReadStatusSocket(const std::string& path) {
  v1::AgentConfig config;
  const absl::Status status = yaml::ReadConfigFile(path, config);
  if (absl::IsNotFound(status)) return std::string(kDefaultStatusSocket);
  RETURN_IF_ERROR(status);
  return WithDefaults(config).status_socket;
}

}  // namespace roceready::agent
