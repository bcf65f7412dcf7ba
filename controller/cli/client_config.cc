// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/client_config.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "proto/contract/errors.h"
#include "proto/yaml/config_file.h"

namespace roceready::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> UsualFiles() {
  std::vector<fs::path> files;
  if (const char* home = std::getenv("XDG_CONFIG_HOME"); home != nullptr && *home != '\0') {
    files.push_back(fs::path(home) / "roceready/client.yaml");
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    files.push_back(fs::path(home) / ".config/roceready/client.yaml");
  }
  files.emplace_back("/etc/roceready/client.yaml");
  return files;
}

absl::StatusOr<v1::ClientConfig> ReadFile(const fs::path& path) {
  v1::ClientConfig config;
  const absl::Status status = yaml::ReadConfigFile(path, config);
  if (!status.ok()) return FailedPrecondition("{}", Message(status));
  return config;
}

absl::StatusOr<v1::ClientConfig> ReadUsualFile() {
  for (const fs::path& path : UsualFiles()) {
    std::error_code ignored;
    if (fs::exists(path, ignored)) return ReadFile(path);
  }
  return v1::ClientConfig();
}

}  // namespace

absl::StatusOr<v1::ClientConfig> LoadClientConfig(const Arguments& arguments) {
  ASSIGN_OR_RETURN(v1::ClientConfig config, arguments.config_file.empty()
                                                ? ReadUsualFile()
                                                : ReadFile(arguments.config_file));
  if (!arguments.controller.empty()) config.set_controller(arguments.controller);
  if (!arguments.ca.empty()) config.mutable_tls()->set_ca(arguments.ca);
  if (!arguments.certificate.empty()) {
    config.mutable_tls()->set_certificate(arguments.certificate);
  }
  if (!arguments.key.empty()) config.mutable_tls()->set_key(arguments.key);
  if (arguments.insecure_loopback) config.set_insecure_loopback(true);
  return config;
}

}  // namespace roceready::cli
