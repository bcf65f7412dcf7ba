// SPDX-License-Identifier: Apache-2.0
#include "controller/command_line.h"

#include <CLI/CLI.hpp>

#include "controller/settings.h"
#include "proto/process/build_info.h"
#include "proto/process/exit_status.h"

namespace roceready::controller {
namespace {

// One subcommand of `pki`; whichever is given leaves its kind in `options`.
CLI::App* AddPki(CLI::App* pki, PkiOptions& options, PkiOptions::Kind kind, const std::string& name,
                 const std::string& description) {
  CLI::App* command = pki->add_subcommand(name, description);
  command->add_option("--directory", options.directory, "Where the files are and go")
      ->capture_default_str();
  command->add_option("--days", options.days, "How long it holds; default 3650 for a CA, else 365")
      ->check(CLI::Range(1, 36500));
  command->callback([&options, kind] { options.kind = kind; });
  return command;
}

void AddPkiCommands(CLI::App& app, PkiOptions& options) {
  CLI::App* pki = app.add_subcommand("pki", "A small CA, for sites that have none");
  pki->require_subcommand(1);
  AddPki(pki, options, PkiOptions::Kind::kCa, "ca", "Make the CA: ca.crt and ca.key");
  AddPki(pki, options, PkiOptions::Kind::kHost, "host", "Certificates for agents, one a host")
      ->add_option("names", options.names, "Host names, as the agents are to be known")
      ->required();
  AddPki(pki, options, PkiOptions::Kind::kController, "controller",
         "The certificate of a controller: controller.crt")
      ->add_option("names", options.names, "DNS names and addresses it is reached by")
      ->required();
  CLI::App* client = AddPki(pki, options, PkiOptions::Kind::kClient, "client",
                            "Certificates for people and programs that use the API");
  client->add_option("names", options.names, "Who, for the audit log")->required();
  client->add_option("--role", options.role, "viewer, operator or admin")->capture_default_str();
}

}  // namespace

Arguments ParseCommandLine(int argc, char** argv) {
  CLI::App app("Keeps the facts of a cluster's hosts, judges them, orders probes between them");
  app.name("roceready-controller");
  app.set_version_flag("--version", fmt::format("roceready-controller {}", SoftwareVersion()));
  app.require_subcommand(1);

  std::string config_path = kDefaultConfig;
  CLI::App* run = app.add_subcommand("run", "Run as a service");
  run->add_option("--config", config_path, "Configuration file")->capture_default_str();

  CLI::App* config = app.add_subcommand("config", "Configuration files");
  config->require_subcommand(1);
  CLI::App* check = config->add_subcommand(
      "check", "Tell all that would keep `run` from starting with this file and its policies");
  check->add_option("file", config_path, "Configuration file")->capture_default_str();

  const CLI::App* openapi = app.add_subcommand(
      "openapi", "Print the OpenAPI document of the REST API, to make clients from");

  PkiOptions pki;
  AddPkiCommands(app, pki);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return Finished{app.exit(error) == 0 ? kExitOk : kExitUsage};
  }
  if (app.got_subcommand("pki")) return pki;
  if (check->parsed()) return ConfigCheckArguments{config_path};
  if (openapi->parsed()) return OpenApiArguments{};
  return RunArguments{config_path};
}

}  // namespace roceready::controller
