// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/event_arguments.h"

#include "controller/cli/option_kinds.h"

namespace roceready::cli {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

const DurationRange kSpan{seconds(1), hours(24 * 365), "from 1s to 8760h, such as 90m or 24h"};

}  // namespace

void AddEvents(CLI::App& app, EventsOptions& options) {
  CLI::App* events = app.add_subcommand("events", "what has changed in the configuration of hosts");
  AddHosts(*events, "--hosts", options.hosts, "host list; default: all");
  AddDuration(
      *events, "--since", kSpan, [&options](milliseconds since) { options.since = since; },
      "changes of so long ago at most (24h)");
  events->add_flag("--watch", options.watch,
                   "go on with what changes from now on, until interrupted; JSON is a line each");
}

void AddDiff(CLI::App& app, DiffOptions& options) {
  CLI::App* diff = app.add_subcommand(
      "diff", "what of a host's configuration is not as it was; status 1 where something is");
  diff->add_option("host", options.host, "host name")->required();
  AddDuration(
      *diff, "--from", kSpan, [&options](milliseconds from) { options.from = from; },
      "since so long ago (24h)");
  AddDuration(
      *diff, "--to", kSpan, [&options](milliseconds to) { options.to = to; },
      "up to so long ago; default: up to now");
  diff->callback([&options] {
    if (options.to >= options.from) {
      throw CLI::ValidationError("--to", "is to be less long ago than --from");
    }
  });
}

}  // namespace roceready::cli
