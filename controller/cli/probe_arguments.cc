// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/probe_arguments.h"

#include "controller/cli/audit_arguments.h"
#include "controller/cli/option_kinds.h"

namespace roceready::cli {
namespace {

void AddMatrix(CLI::App& app, std::optional<Measure>& target) {
  AddChoice<std::optional<Measure>>(app, "--matrix", target,
                                    {{"bandwidth", Measure::kBandwidth},
                                     {"latency", Measure::kLatency},
                                     {"loss", Measure::kLoss}},
                                    "one quantity alone (all three)");
}

CLI::App* AddShow(CLI::App& probe, ProbeShowOptions& options) {
  CLI::App* show = probe.add_subcommand(
      "show", "what the probes of an audit measured, also while it runs; move no traffic");
  show->add_option("audit", options.audit_id, "the audit, such as a1-7")->required();
  AddMatrix(*show, options.matrix);
  return show;
}

CLI::App* AddStop(CLI::App& probe, ProbeStopOptions& options) {
  CLI::App* stop = probe.add_subcommand(
      "stop",
      "end probes at once, of one audit or of all; status 3 where a host has not confirmed");
  auto* audit = stop->add_option("audit", options.audit_id, "the audit, such as a1-7");
  auto* all = stop->add_flag("--all", options.all, "the probes of every audit");
  all->excludes(audit);
  stop->add_option("--reason", options.reason, "said in what the audits find, with your name");
  stop->callback([audit, all] {
    if (audit->count() + all->count() == 0) {
      throw CLI::ValidationError("probe stop", "give an audit, such as a1-7, or --all");
    }
  });
  return stop;
}

}  // namespace

void AddProbe(CLI::App& app, ProbeCommandLine& line) {
  CLI::App* probe = app.add_subcommand(
      "probe", "have hosts probe each other over RDMA, and print what each way measured");
  AuditOptions& audit = line.probe.audit;
  auto* hosts =
      AddHosts(*probe, "--hosts", audit.hosts, "host list, such as 'gpu[001-128]', or '*' for all");
  probe->add_option("--policy", audit.policy, "policy by name; default: the controller's");
  AddPlan(*probe, audit.plan);
  AddBudget(*probe, audit);
  AddNoRetest(*probe, audit);
  AddJobEnvironment(*probe, audit.job_environment);
  AddFailOn(*probe, audit.fail_on);
  AddMatrix(*probe, line.probe.matrix);
  CLI::App* show = AddShow(*probe, line.show);
  CLI::App* stop = AddStop(*probe, line.stop);
  probe->require_subcommand(0, 1);
  probe->callback([&line, probe, hosts, show, stop] {
    const bool probes = !probe->got_subcommand(show) && !probe->got_subcommand(stop);
    if (probes == (hosts->count() == 0)) {
      throw CLI::ValidationError(
          "--hosts", probes ? "give the hosts that are to probe each other"
                            : "`probe show` and `probe stop` speak of an audit, not of hosts");
    }
    if (probes && line.probe.audit.plan.kind() == v1::PLAN_KIND_NONE) {
      throw CLI::ValidationError(
          "--plan", "none moves no traffic, and there is nothing to show: use audit --no-probes");
    }
    if (probes) {
      line.command = line.probe;
    } else if (probe->got_subcommand(show)) {
      line.command = line.show;
    } else {
      line.command = line.stop;
    }
  });
}

}  // namespace roceready::cli
