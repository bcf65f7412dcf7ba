// SPDX-License-Identifier: Apache-2.0
#include "controller/command_line.h"

#include <CLI/CLI.hpp>

#include "controller/exit_status.h"
#include "controller/settings.h"
#include "proto/process/build_info.h"

namespace roceready::controller {

Arguments ParseCommandLine(int argc, char** argv) {
  CLI::App app("Keeps the facts of a cluster's hosts, judges them, orders probes between them");
  app.name("roceready-controller");
  app.set_version_flag("--version", std::string(SoftwareVersion()));
  app.require_subcommand(1);

  std::string config_path = kDefaultConfig;
  CLI::App* run = app.add_subcommand("run", "Run as a service");
  run->add_option("--config", config_path, "Configuration file")->capture_default_str();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return Finished{app.exit(error) == 0 ? kExitOk : kExitUsage};
  }
  return RunArguments{config_path};
}

}  // namespace roceready::controller
