// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/arguments.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "controller/cli/exit_status.h"
#include "proto/process/build_info.h"

namespace roceready::cli {
namespace {

constexpr char kFooter[] =
    "Exit status: 0 ready, 1 lesser findings (with --fail-on), 2 not ready, 3 undetermined or "
    "interrupted,\n64 usage, 69 controller unreachable, 77 permission or certificate, 78 "
    "configuration.\n\nExamples:\n"
    "  roceready audit --hosts 'gpu[001-128]'\n"
    "  roceready audit --hosts gpu017,gpu018 --no-probes --output json\n"
    "  roceready audit --facts saved/ --policy lossless-dscp.yaml\n"
    "  roceready explain pfc.lossless-priority\n";

void AddAudit(CLI::App& app, AuditOptions& options, uint64_t& budget_ms) {
  CLI::App* audit = app.add_subcommand("audit", "judge a set of hosts, with RDMA probes");
  auto* hosts = audit->add_option("--hosts", options.hosts, "host list, such as 'gpu[001-128]'");
  auto* facts =
      audit->add_option("--facts", options.facts_directory,
                        "judge the facts files (*.json) of this directory; no controller is asked");
  hosts->excludes(facts);
  audit->add_option("--policy", options.policy,
                    "policy by name (with --facts also a file); default: the controller's");
  audit->add_flag("!--no-probes", options.probes, "only read settings; move no RDMA traffic");
  audit->add_option("--budget", budget_ms, "time for facts and probes together, such as 60s")
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, uint64_t>{{"ms", 1}, {"s", 1000}, {"m", 60000}}))
      ->default_str("60s");
  audit
      ->add_option("--fail-on", options.fail_on,
                   "lesser findings that make the status 1: degrades, advice")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, FailOn>{{"blocks", FailOn::kBlocks},
                                                                {"degrades", FailOn::kDegrades},
                                                                {"advice", FailOn::kAdvice}}));
  audit->callback([hosts, facts] {
    if (hosts->count() == 0 && facts->count() == 0) {
      throw CLI::ValidationError("audit", "give --hosts LIST, or --facts DIR for saved facts");
    }
  });
}

}  // namespace

std::variant<Arguments, int> ParseArguments(int argc, const char* const* argv) {
  Arguments arguments;
  AuditOptions audit;
  HostsCommandOptions hosts;
  FactsCommandOptions facts;
  ExplainCommandOptions explain;
  PolicyValidateOptions validate;
  uint64_t budget_ms = 60000;

  CLI::App app("Tells whether a set of hosts is ready to carry RoCE traffic, and why not.",
               "roceready");
  app.footer(kFooter);
  app.set_version_flag("--version", fmt::format("roceready {}", SoftwareVersion()));
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--config", arguments.config_file,
                 "client.yaml; default ~/.config/roceready/client.yaml, then "
                 "/etc/roceready/client.yaml");
  app.add_option("--controller", arguments.controller, "HOST:PORT of the controller's API");
  app.add_option("--ca", arguments.ca, "PEM file of the CA");
  app.add_option("--cert", arguments.certificate, "PEM file of the client certificate");
  app.add_option("--key", arguments.key, "PEM file of its key");
  app.add_flag("--insecure-loopback", arguments.insecure_loopback,
               "plain text to a controller on this machine, for tests");
  app.add_option("--output", arguments.format, "table or json")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Format>{{"table", Format::kTable}, {"json", Format::kJson}}));
  app.add_option("--color", arguments.color, "auto, always or never")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, ColorChoice>{{"auto", ColorChoice::kAuto},
                                             {"always", ColorChoice::kAlways},
                                             {"never", ColorChoice::kNever}}));

  AddAudit(app, audit, budget_ms);
  CLI::App* hosts_app = app.add_subcommand("hosts", "the hosts that the controller knows");
  hosts_app->add_option("hosts", hosts.hosts, "host list; default: all");
  CLI::App* facts_app = app.add_subcommand("facts", "what a host's agent read, as JSON");
  facts_app->add_option("host", facts.host, "host name")->required();
  facts_app->add_flag("--counters", facts.counters, "with its counters");
  CLI::App* checks_app = app.add_subcommand("checks", "the checklist, a line a check");
  CLI::App* explain_app = app.add_subcommand("explain", "one check: why, how, fix");
  explain_app->add_option("check", explain.check_id, "check id, such as pfc.lossless-priority")
      ->required();
  CLI::App* policy_app = app.add_subcommand("policy", "policy files");
  policy_app->require_subcommand(1);
  CLI::App* validate_app =
      policy_app->add_subcommand("validate", "every mistake of a policy file, with its place");
  validate_app->add_option("file", validate.file, "policy file")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11's own numbers start at 100; scripts get one number for wrong usage.
    return app.exit(error) == 0 ? 0 : static_cast<int>(kExitUsage);
  }

  if (app.got_subcommand("audit")) {
    audit.budget = std::chrono::milliseconds(budget_ms);
    arguments.command = audit;
  } else if (app.got_subcommand(hosts_app)) {
    arguments.command = hosts;
  } else if (app.got_subcommand(facts_app)) {
    arguments.command = facts;
  } else if (app.got_subcommand(checks_app)) {
    arguments.command = ChecksCommandOptions{};
  } else if (app.got_subcommand(explain_app)) {
    arguments.command = explain;
  } else if (policy_app->got_subcommand(validate_app)) {
    arguments.command = validate;
  }
  return arguments;
}

}  // namespace roceready::cli
