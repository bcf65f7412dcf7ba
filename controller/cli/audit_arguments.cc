// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/audit_arguments.h"

#include "controller/cli/option_kinds.h"
#include "controller/cli/plan_option.h"
#include "proto/contract/errors.h"

namespace roceready::cli {
namespace {

constexpr std::chrono::milliseconds kShortestBudget{100};
constexpr std::chrono::milliseconds kLongestBudget = std::chrono::hours(24);

}  // namespace

CLI::Option* AddJobEnvironment(CLI::App& app, std::string& target) {
  return app
      .add_option("--job-env", target,
                  "file of NAME=VALUE that a job is started with (NCCL_IB_*, UCX_*): wins over the "
                  "policy's job:")
      ->type_name("FILE");
}

void AddBudget(CLI::App& app, AuditOptions& options) {
  AddDuration(
      app, "--budget", {kShortestBudget, kLongestBudget, "from 100ms to 24h, such as 60s or 5m"},
      [&options](std::chrono::milliseconds budget) {
        options.budget = budget;
        options.is_budget_given = true;
      },
      "time for facts and probes together, such as 60s (the default) or 5m; without --plan the "
      "largest plan that fits");
}

void AddPlan(CLI::App& app, v1::ProbePlan& target) {
  app.add_option_function<std::string>(
         "--plan",
         [&target](const std::string& text) {
           const auto parsed = ParsePlan(text);
           if (!parsed.ok()) {
             throw CLI::ValidationError("--plan", std::string(Message(parsed.status())));
           }
           target = *parsed;
         },
         "which pairs to probe on each rail: none, pair (of two hosts), ring (the default), "
         "sparse:K (K peers for each port), rail or full (every pair), incast:N (to each port "
         "from N others at the same time, where agents allow it)")
      ->type_name("PLAN");
}

void AddNoProbes(CLI::App& app, v1::ProbePlan& target) {
  app.add_flag_callback(
         "--no-probes", [&target] { target.set_kind(v1::PLAN_KIND_NONE); },
         "only read settings; move no RDMA traffic (--plan none)")
      ->excludes(app.get_option("--plan"));
}

void AddNoRetest(CLI::App& app, AuditOptions& options) {
  app.add_flag("--no-retest", options.no_retest,
               "after a ring or sparse plan, do not probe the ends of bad pairs with ports that "
               "are well, to tell who is to blame");
}

}  // namespace roceready::cli
