// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/maintenance_arguments.h"

#include "controller/cli/option_kinds.h"

namespace roceready::cli {

void AddMaintenance(CLI::App& app, MaintenanceOptions& options) {
  using Verb = MaintenanceOptions::Verb;
  CLI::App* all = app.add_subcommand(
      "maintenance", "hosts that are set aside: not judged, not probed, in no comparison");
  all->require_subcommand(1);

  CLI::App* set = all->add_subcommand("set", "set hosts aside, until a time of their own");
  set->callback([&options] { options.verb = Verb::kSet; });
  AddHosts(*set, "hosts", options.hosts, "host list, such as 'gpu[017-020]'")->required();
  set->add_option("--reason", options.reason, "why, for whoever comes upon them")->required();
  AddDuration(
      *set, "--for",
      {std::chrono::seconds(1), std::chrono::hours(24 * 90), "from 1s to 2160h, such as 4h"},
      [&options](std::chrono::milliseconds duration) { options.duration = duration; },
      "how long, such as 4h; then they are back by themselves")
      ->required();

  CLI::App* end = all->add_subcommand("end", "take hosts back");
  end->callback([&options] { options.verb = Verb::kEnd; });
  AddHosts(*end, "hosts", options.hosts, "host list")->required();

  all->add_subcommand("list", "the hosts that are set aside")->callback([&options] {
    options.verb = Verb::kList;
  });
}

}  // namespace roceready::cli
