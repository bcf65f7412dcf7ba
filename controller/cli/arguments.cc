// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/arguments.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <utility>
#include <vector>

#include "controller/cli/audit_arguments.h"
#include "controller/cli/event_arguments.h"
#include "controller/cli/local_policy.h"
#include "controller/cli/maintenance_arguments.h"
#include "controller/cli/option_kinds.h"
#include "controller/cli/probe_arguments.h"
#include "controller/cli/verdict_arguments.h"
#include "proto/contract/errors.h"
#include "proto/process/build_info.h"
#include "proto/process/exit_status.h"
#include "proto/yaml/problem.h"

namespace roceready::cli {
namespace {

constexpr char kFooter[] =
    "Exit status: 0 ready, 1 lesser findings (with --fail-on), 2 not ready, 3 undetermined or "
    "interrupted,\n64 usage, 69 controller unreachable, 77 permission or certificate, 78 "
    "configuration.\nOf gate: 0 or 1. With --output nagios: 0 ready, 1 degraded, 2 not ready, 3 "
    "undetermined\nor "
    "any error.\n\nExamples:\n"
    "  roceready audit --hosts 'gpu[001-128]'\n"
    "  roceready audit --hosts gpu017,gpu018 --no-probes --output json\n"
    "  roceready audit --hosts 'gpu[001-128]' --plan sparse:8 --budget 5m\n"
    "  roceready audit --facts saved/ --policy lossless-dscp.yaml\n"
    "  roceready audit --hosts 'gpu[001-128]' --facts stored --policy next.yaml\n"
    "  roceready probe --hosts 'gpu[001-128]' --plan full --budget 2m\n"
    "  roceready probe show a1-7 --matrix loss --output csv\n"
    "  roceready probe stop --all\n"
    "  roceready verdict --hosts 'gpu[001-128]' --max-age 90s\n"
    "  roceready gate --hosts \"$SLURM_JOB_NODELIST\"\n"
    "  roceready pick --count 120 --from 'gpu[001-128]'\n"
    "  roceready why --log slurm-4711.out\n"
    "  roceready whois ::ffff:10.77.3.17\n"
    "  roceready events --hosts 'gpu[001-128]' --watch\n"
    "  roceready fix a1-7/2 --format clush\n"
    "  roceready maintenance set gpu017 --for 4h --reason 'new optics'\n"
    "  roceready switch import leaf1/config_db.json leaf2/config_db.json\n"
    "  roceready explain pfc.lossless-priority\n";

// The subcommands of `switch`, each with where its options go.
struct SwitchApps {
  SwitchImportOptions import_options;
  SwitchRemoveOptions remove_options;
  CLI::App* all = nullptr;
  CLI::App* import = nullptr;
  CLI::App* list = nullptr;
  CLI::App* remove = nullptr;
};

void AddSwitch(CLI::App& app, SwitchApps& apps) {
  apps.all = app.add_subcommand("switch", "configurations of switches");
  apps.all->require_subcommand(1);
  apps.import = apps.all->add_subcommand(
      "import", "judge switches by their config_db.json, and give them to the controller");
  apps.import
      ->add_option("files", apps.import_options.files, "SONiC's config_db.json, one a switch")
      ->required();
  apps.import->add_option("--policy", apps.import_options.policy,
                          "policy by name (without a controller also a file)");
  apps.import->add_flag("--offline", apps.import_options.offline,
                        "judge here, and give nothing to the controller");
  AddFailOn(*apps.import, apps.import_options.fail_on);
  apps.list = apps.all->add_subcommand("list", "the switches that the controller knows");
  apps.remove = apps.all->add_subcommand("remove", "have the controller forget a switch");
  apps.remove->add_option("name", apps.remove_options.name, "switch name")->required();
}

constexpr char kStoredFacts[] = "stored";

// A what-if over the controller's facts.
void CheckStoredFacts(const AuditOptions& options, bool has_hosts, bool has_switches) {
  if (!has_hosts) {
    throw CLI::ValidationError("--facts", "stored are the facts of --hosts LIST: give the list");
  }
  if (options.policy.empty()) {
    throw CLI::ValidationError(
        "--facts", "stored facts are judged by another policy: give --policy FILE or NAME");
  }
  if (has_switches) {
    throw CLI::ValidationError(
        "--switch",
        "the controller knows its switches: it judges them by a --policy NAME of its "
        "own");
  }
  if (!options.job_environment.empty() && !NamesPolicyFile(options.policy)) {
    throw CLI::ValidationError("--job-env",
                               "the controller judges a job by its policy alone: give "
                               "--policy FILE, which is judged by here");
  }
}

void AddAudit(CLI::App& app, AuditOptions& options) {
  CLI::App* audit = app.add_subcommand("audit", "judge a set of hosts, with RDMA probes");
  auto* hosts = AddHosts(*audit, "--hosts", options.hosts,
                         "host list, such as 'gpu[001-128]', or '*' for all");
  auto* facts =
      audit->add_option("--facts", options.facts_directory,
                        "judge the facts files (*.json) of this directory; no controller is asked. "
                        "'stored': what --policy would make of the facts that the controller has");
  audit->add_option("--policy", options.policy,
                    "policy by name (with --facts also a file); default: the controller's");
  auto* against = audit->add_option(
      "--against", options.against,
      "with --facts: policy to compare with, file or name; who would turn red or green. With "
      "'stored' by default the controller's");
  against->needs(facts);
  AddPlan(*audit, options.plan);
  AddNoProbes(*audit, options.plan);
  AddNoRetest(*audit, options);
  AddBudget(*audit, options);
  auto* switches =
      audit
          ->add_option("--switch", options.switch_files,
                       "with --facts: config_db.json of a SONiC switch; may be given many times")
          ->needs(facts);
  AddJobEnvironment(*audit, options.job_environment);
  AddFailOn(*audit, options.fail_on);
  facts->excludes(audit->get_option("--plan"));
  audit->callback([&options, hosts, facts, switches] {
    if (options.facts_directory == kStoredFacts) {
      CheckStoredFacts(options, hosts->count() > 0, switches->count() > 0);
      options.stored_facts = true;
      options.facts_directory.clear();
      return;
    }
    if (hosts->count() == 0 && facts->count() == 0) {
      throw CLI::ValidationError("audit", "give --hosts LIST, or --facts DIR for saved facts");
    }
    if (hosts->count() > 0 && facts->count() > 0) {
      throw CLI::ValidationError(
          "--hosts", "excludes --facts, but for --facts stored: a directory has its own hosts");
    }
  });
}

void AddFix(CLI::App& app, FixOptions& options) {
  CLI::App* fix =
      app.add_subcommand("fix", "print the commands that mend what an audit found; run nothing");
  auto* audit =
      fix->add_option_function<std::string>(
             "audit",
             [&options](const std::string& text) {
               const auto target = ParseFixTarget(text);
               if (!target.ok())
                 throw CLI::ValidationError("audit", std::string(Message(target.status())));
               options.target = *target;
             },
             "the audit, such as a1-7, or one root cause of it, such as a1-7/2")
          ->type_name("AUDIT[/N]");
  auto* facts =
      fix->add_option("--facts", options.facts_directory,
                      "judge the facts files (*.json) of this directory; no controller is asked");
  facts->excludes(audit);
  fix->add_option("--policy", options.policy, "with --facts: policy by name or a file")
      ->needs(facts);
  fix->add_option("--switch", options.switch_files,
                  "with --facts: config_db.json of a SONiC switch; may be given many times")
      ->needs(facts);
  AddJobEnvironment(*fix, options.job_environment)->needs(facts);
  fix->add_option_function<size_t>(
         "--cause", [&options](size_t number) { options.target.number = number; },
         "with --facts: only the root cause of this number")
      ->check(CLI::PositiveNumber)
      ->needs(facts)
      ->type_name("N");
  AddChoice<FixFormat>(
      *fix, "--format", options.format,
      {{"sh", FixFormat::kShell}, {"clush", FixFormat::kClush}, {"ansible", FixFormat::kAnsible}},
      "a script to copy to the hosts (the default), a line for each command, or a "
      "playbook");
  fix->callback([audit, facts] {
    if (audit->count() == 0 && facts->count() == 0) {
      throw CLI::ValidationError("fix", "give an audit, such as a1-7, or --facts DIR");
    }
  });
}

// CLI11 says "a subcommand is required" of a wrong one too.
std::string Complaint(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* parent = &app;
  for (const char* name : {"policy", "probe"}) {
    if (app.got_subcommand(name)) parent = app.get_subcommand(name);
  }
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  // To `probe`, which goes without, a wrong one is a word too many.
  const bool lacks_command =
      error.get_name() == "RequiredError" ||
      (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) &&
       parent->get_name() == "probe" && parent->get_subcommands().empty());
  if (!lacks_command || unknown.empty() || unknown[0].starts_with('-')) {
    return error.what();
  }
  std::vector<std::string> known;
  for (const CLI::App* command : parent->get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  return fmt::format("found the command {}, expected {}{}", yaml::Quote(unknown[0]),
                     yaml::OneOf(known), yaml::DidYouMean(unknown[0], known));
}

const Choices<Format>& Formats() {
  static const Choices<Format> formats = {{"table", Format::kTable},
                                          {"json", Format::kJson},
                                          {"csv", Format::kCsv},
                                          {"junit", Format::kJunit},
                                          {"nagios", Format::kNagios}};
  return formats;
}

// For a mistake that keeps the arguments from being understood: which --output was among them?
Format FormatAskedFor(int argc, const char* const* argv) {
  constexpr std::string_view kFlag = "--output";
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (!word.starts_with(kFlag)) continue;
    word.remove_prefix(kFlag.size());
    if (word.empty() && i + 1 < argc) word = argv[i + 1];
    if (word.starts_with('=')) word.remove_prefix(1);
    for (const auto& [name, format] : Formats()) {
      if (word == name) return format;
    }
  }
  return Format::kTable;
}

// Not every command has every form.
void RequireFormat(const CLI::App& app, Format format) {
  if ((format == Format::kJunit || format == Format::kNagios) && !app.got_subcommand("audit")) {
    throw CLI::ValidationError("--output", "junit and nagios are forms of audit alone");
  }
  const bool measures =
      app.got_subcommand("probe") && !app.get_subcommand("probe")->got_subcommand("stop");
  if (format == Format::kCsv && !measures) {
    throw CLI::ValidationError("--output", "csv is a form of probe and probe show alone");
  }
  if (format != Format::kTable && app.got_subcommand("fix")) {
    throw CLI::ValidationError("--output", "what fix prints is chosen by --format");
  }
}

void RequireFormatOfAudit(const AuditOptions& audit, Format format) {
  if (audit.IsWhatIf() && format != Format::kTable && format != Format::kJson) {
    throw CLI::ValidationError("--output", "what another policy would say is table or json");
  }
}

}  // namespace

std::variant<Arguments, int> ParseArguments(int argc, const char* const* argv) {
  Arguments arguments;
  AuditOptions audit;
  HostsCommandOptions hosts;
  FactsCommandOptions facts;
  ExplainCommandOptions explain;
  PolicyValidateOptions validate;

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
  AddChoice<Format>(app, "--output", arguments.format, Formats(),
                    "how to print (csv: probe alone; the last two: audit alone)");
  AddChoice<ColorChoice>(app, "--color", arguments.color,
                         {{"auto", ColorChoice::kAuto},
                          {"always", ColorChoice::kAlways},
                          {"never", ColorChoice::kNever}},
                         "colours in tables");

  AddAudit(app, audit);
  ProbeCommandLine probe;
  AddProbe(app, probe);
  FixOptions fix;
  AddFix(app, fix);
  VerdictOptions verdict;
  AddVerdict(app, verdict);
  GateOptions gate;
  AddGate(app, gate);
  PickOptions pick;
  AddPick(app, pick);
  WhoIsOptions whois;
  app.add_subcommand("whois", "the host and port of an address; status 1 where nobody has it")
      ->add_option("what", whois.what, "IP address, GID, MAC, HOST or HOST/DEVICE")
      ->required();
  WhyOptions why;
  CLI::App* why_app = app.add_subcommand(
      "why", "from the error lines of a job (NCCL, UCX, perftest, rdma_cm) to the likely cause");
  why_app->add_option("--log", why.log, "file with the lines; '-' for standard input")->required();
  why_app->add_option("--policy", why.policy, "policy by name; default: the controller's");
  EventsOptions events;
  AddEvents(app, events);
  DiffOptions diff;
  AddDiff(app, diff);
  CLI::App* hosts_app = app.add_subcommand("hosts", "the hosts that the controller knows");
  AddHosts(*hosts_app, "hosts", hosts.hosts, "host list; default: all");
  CLI::App* facts_app = app.add_subcommand("facts", "what a host's agent read, as JSON");
  facts_app->add_option("host", facts.host, "host name")->required();
  facts_app->add_flag("--counters", facts.counters, "with its counters");
  ChecksCommandOptions checks;
  CLI::App* checks_app = app.add_subcommand("checks", "the checklist, a line a check");
  checks_app->add_option("--policy", checks.policy,
                         "policy file or name: the checklist as this policy sees it");
  CLI::App* explain_app = app.add_subcommand("explain", "one check: why, how, fix");
  explain_app->add_option("check", explain.check_id, "check id, such as pfc.lossless-priority")
      ->required();
  explain_app->add_option("--policy", explain.policy,
                          "policy file or name: explains its own checks (site.ID) too");
  CLI::App* policy_app = app.add_subcommand("policy", "policy files");
  policy_app->require_subcommand(1);
  CLI::App* validate_app =
      policy_app->add_subcommand("validate", "every mistake of a policy file, with its place");
  validate_app->add_option("file", validate.file, "policy file")->required();
  AddJobEnvironment(*validate_app, validate.job_environment);
  PolicyExplainOptions policy_explain;
  CLI::App* policy_explain_app = policy_app->add_subcommand(
      "explain", "what a policy of this machine wants of a host, and from which line");
  policy_explain_app->add_option("host", policy_explain.host, "host name")->required();
  policy_explain_app->add_option("--policy", policy_explain.policy, "policy file or name");
  AddJobEnvironment(*policy_explain_app, policy_explain.job_environment);
  PolicyDiffOptions policy_diff;
  CLI::App* policy_diff_app =
      policy_app->add_subcommand("diff", "how two policies differ; status 1 where they do");
  policy_diff_app->add_option("first", policy_diff.first, "policy file or name")->required();
  policy_diff_app->add_option("second", policy_diff.second, "policy file or name")->required();
  policy_diff_app->add_option("--host", policy_diff.host, "for this host, with its overrides");
  PolicyLearnOptions policy_learn;
  CLI::App* policy_learn_app = policy_app->add_subcommand(
      "learn", "a first policy: what hosts that are known to be good have in common");
  CLI::Option* learn_facts =
      policy_learn_app->add_option("--facts", policy_learn.facts_directory,
                                   "a directory of files written by `roceready-agent facts`");
  AddHosts(*policy_learn_app, "--hosts", policy_learn.hosts,
           "host list whose facts the controller has; default: all")
      ->excludes(learn_facts);
  policy_learn_app->add_option("--name", policy_learn.name, "the policy's name")
      ->default_val("learned");
  SwitchApps switches;
  AddSwitch(app, switches);
  MaintenanceOptions maintenance;
  AddMaintenance(app, maintenance);

  try {
    app.parse(argc, argv);
    RequireFormat(app, arguments.format);
    RequireFormatOfAudit(audit, arguments.format);
  } catch (const CLI::ParseError& error) {
    // Help and the version, which CLI11 prints.
    if (error.get_exit_code() == 0) return app.exit(error);
    std::string complaint = Complaint(app, error);
    while (complaint.ends_with('\n')) complaint.pop_back();
    return Fail(InvalidArgument("{}\nRun with --help for more information.", complaint),
                FormatAskedFor(argc, argv));
  }

  if (app.got_subcommand("audit")) {
    arguments.command = audit;
  } else if (app.got_subcommand("probe")) {
    std::visit([&](auto& options) { arguments.command = options; }, probe.command);
  } else if (app.got_subcommand("fix")) {
    arguments.command = fix;
  } else if (app.got_subcommand("verdict")) {
    arguments.command = verdict;
  } else if (app.got_subcommand("gate")) {
    arguments.command = gate;
  } else if (app.got_subcommand("pick")) {
    arguments.command = pick;
  } else if (app.got_subcommand("whois")) {
    arguments.command = whois;
  } else if (app.got_subcommand(why_app)) {
    arguments.command = why;
  } else if (app.got_subcommand("events")) {
    arguments.command = events;
  } else if (app.got_subcommand("diff")) {
    arguments.command = diff;
  } else if (app.got_subcommand(hosts_app)) {
    arguments.command = hosts;
  } else if (app.got_subcommand(facts_app)) {
    arguments.command = facts;
  } else if (app.got_subcommand(checks_app)) {
    arguments.command = checks;
  } else if (app.got_subcommand(explain_app)) {
    arguments.command = explain;
  } else if (policy_app->got_subcommand(validate_app)) {
    arguments.command = validate;
  } else if (policy_app->got_subcommand(policy_explain_app)) {
    arguments.command = policy_explain;
  } else if (policy_app->got_subcommand(policy_diff_app)) {
    arguments.command = policy_diff;
  } else if (policy_app->got_subcommand(policy_learn_app)) {
    arguments.command = policy_learn;
  } else if (switches.all->got_subcommand(switches.import)) {
    arguments.command = switches.import_options;
  } else if (switches.all->got_subcommand(switches.list)) {
    arguments.command = SwitchListOptions{};
  } else if (switches.all->got_subcommand(switches.remove)) {
    arguments.command = switches.remove_options;
  } else if (app.got_subcommand("maintenance")) {
    arguments.command = maintenance;
  }
  return arguments;
}

}  // namespace roceready::cli
