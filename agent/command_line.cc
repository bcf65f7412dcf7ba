// SPDX-License-Identifier: Apache-2.0
#include "agent/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "agent/settings.h"
#include "proto/process/build_info.h"
#include "proto/process/exit_status.h"

namespace roceready::agent {

Arguments ParseCommandLine(int argc, char** argv) {
  CLI::App app("Reads this host's RoCE facts, streams them to the controller, runs its probes");
  app.name("roceready-agent");
  app.set_version_flag("--version", fmt::format("roceready-agent {}", SoftwareVersion()));
  app.require_subcommand(1);

  std::string config_path = kDefaultConfig;
  std::string run_root = "/";
  FactsOptions facts;
  CheckOptions check;
  double deadline_seconds = 2;
  const auto add_config = [&](CLI::App* command) {
    command->add_option("--config", config_path, "Configuration file")->capture_default_str();
  };
  const auto add_deadline = [&](CLI::App* command) {
    command->add_option("--deadline", deadline_seconds, "Seconds that one reading may take")
        ->capture_default_str()
        ->check(CLI::Range(0.05, 60.0));
  };

  CLI::App* run = app.add_subcommand("run", "Run as a service");
  add_config(run);
  run->add_option("--root", run_root,
                  "Folder of a recorded host to play, for trials; takes no probe orders");
  CLI::App* facts_command = app.add_subcommand("facts", "Print what the kernel says, as JSON");
  facts_command->add_option("--host", facts.host, "Name to give the host (default: its own)");
  facts_command->add_option("--root", facts.root, "Folder of a recorded host to read instead");
  facts_command->add_option("--record", facts.record,
                            "New folder to record all that is read into, for --root");
  facts_command->add_flag("--raw-counters", facts.raw_counters, "With the drivers' own counters");
  add_deadline(facts_command);
  CLI::App* check_command = app.add_subcommand(
      "check", "Judge this host by a policy: exit status 0 ready, 2 not ready, 3 undetermined");
  check_command->add_option("--policy", check.policy_path, "Policy file (YAML)")->required();
  check_command->add_option("--job-env", check.job_environment,
                            "File of NAME=VALUE that a job is started with (NCCL_IB_*, UCX_*): "
                            "wins over the policy's job:");
  check_command->add_option("--facts", check.facts_path,
                            "Facts printed earlier by `facts` (default: read them now)");
  check_command->add_option("--host", check.facts.host, "Name to give the host (default: its own)");
  check_command
      ->add_option_function<std::string>(
          "--output",
          [&check](const std::string& word) {
            if (word != "table" && word != "json") {
              throw CLI::ValidationError("--output",
                                         "found \"" + word + "\", expected table or json");
            }
            check.output = word == "json" ? Output::kJson : Output::kTable;
          },
          "How to print: table or json")
      ->type_name("WORD");
  add_deadline(check_command);
  CLI::App* status = app.add_subcommand(
      "status", "Tell whether the running agent is connected: exit status 0 if so, 1 if not");
  add_config(status);
  CLI::App* config = app.add_subcommand("config", "Configuration files");
  config->require_subcommand(1);
  CLI::App* config_check =
      config->add_subcommand("check", "Tell what would keep `run` from starting with this file");
  config_check->add_option("file", config_path, "Configuration file")->capture_default_str();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return Finished{app.exit(error) == 0 ? kExitOk : kExitUsage};
  }
  facts.deadline = check.facts.deadline =
      Duration(static_cast<int64_t>(deadline_seconds * 1'000'000'000));
  if (facts_command->parsed()) return facts;
  check.color = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  if (check_command->parsed()) return check;
  if (status->parsed()) return StatusArguments{config_path};
  if (config_check->parsed()) return ConfigCheckArguments{config_path};
  return RunArguments{config_path, run_root};
}

}  // namespace roceready::agent
