// SPDX-License-Identifier: Apache-2.0
#include "agent/facts_command.h"

#include <unistd.h>

#include <array>
#include <ostream>

#include "agent/exit_status.h"
#include "agent/facts/collector.h"
#include "agent/facts/sources.h"
#include "proto/contract/errors.h"
#include "proto/contract/facts_file.h"
#include "proto/process/build_info.h"
#include "proto/process/durations.h"
#include "proto/process/event_loop.h"

namespace roceready::agent {
namespace {

std::string KernelHostName() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

v1::FactsFile CollectOnce(const FactsOptions& options) {
  SystemClock clock;
  EventLoop loop(&clock);
  facts::Collector collector(&loop, facts::LiveSources(),
                             {.host = options.host.empty() ? KernelHostName() : options.host,
                              .deadline = options.deadline});
  v1::FactsFile file;
  collector.Collect(options.raw_counters, [&](const facts::Collection& collection) {
    *file.mutable_facts() = collection.facts;
    *file.mutable_counters() = collection.counters;
    loop.Stop();
  });
  loop.Run();
  file.set_format(std::string(kFactsFileFormat));
  file.set_agent_version(std::string(SoftwareVersion()));
  *file.mutable_recorded_at() = ToProto(clock.Wall());
  return file;
}

int PrintFacts(const FactsOptions& options, std::ostream& out, std::ostream& error) {
  const absl::StatusOr<std::string> text = PrintFactsFile(CollectOnce(options));
  if (!text.ok()) {
    error << Message(text.status()) << "\n";
    return ExitStatusOf(text.status());
  }
  out << *text << std::flush;
  return out.good() ? kExitOk : kExitInternal;
}

}  // namespace roceready::agent
