// SPDX-License-Identifier: Apache-2.0
// The command line of `roceready`. This, its parts (*_arguments) and option_kinds alone know CLI11
// (it takes 10 s to compile).
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "controller/cli/audit_command.h"
#include "controller/cli/event_command.h"
#include "controller/cli/fix_command.h"
#include "controller/cli/learn_command.h"
#include "controller/cli/maintenance_command.h"
#include "controller/cli/output.h"
#include "controller/cli/pick_command.h"
#include "controller/cli/probe_command.h"
#include "controller/cli/switch_command.h"
#include "controller/cli/verdict_command.h"
#include "controller/cli/whois_command.h"
#include "controller/cli/why_command.h"

namespace roceready::cli {

struct HostsCommandOptions {
  std::string hosts;  // empty: all
};
struct FactsCommandOptions {
  std::string host;
  bool counters = false;
};
struct ChecksCommandOptions {
  std::string policy;  // as ReadLocalPolicy() takes it; empty: none
};
struct ExplainCommandOptions {
  std::string check_id;
  std::string policy;  // as ReadLocalPolicy() takes it; empty: none
};
struct PolicyValidateOptions {
  std::string file;
  std::string job_environment;  // as ReadLocalPolicy() takes it
};
struct PolicyExplainOptions {
  std::string host;
  std::string policy;           // as ReadLocalPolicy() takes it
  std::string job_environment;  // the same
};
struct PolicyDiffOptions {
  std::string first, second;  // the same
  std::string host;           // empty: what holds where no override does
};

struct Arguments {
  std::string config_file;  // empty: the user's, then the machine's
  // Flags that win over the file; empty where not given.
  std::string controller, ca, certificate, key;
  bool insecure_loopback = false;
  Format format = Format::kTable;
  ColorChoice color = ColorChoice::kAuto;
  std::variant<std::monostate, AuditOptions, ProbeOptions, ProbeShowOptions, ProbeStopOptions,
               FixOptions, VerdictOptions, GateOptions, PickOptions, WhoIsOptions, WhyOptions,
               EventsOptions, DiffOptions, HostsCommandOptions, FactsCommandOptions,
               ChecksCommandOptions, ExplainCommandOptions, PolicyValidateOptions,
               PolicyExplainOptions, PolicyDiffOptions, PolicyLearnOptions, SwitchImportOptions,
               SwitchListOptions, SwitchRemoveOptions, MaintenanceOptions>
      command;
};

// Either arguments, or (after printing help, the version or a complaint) the status to exit with.
std::variant<Arguments, int> ParseArguments(int argc, const char* const* argv);

}  // namespace roceready::cli
