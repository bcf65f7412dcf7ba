// SPDX-License-Identifier: Apache-2.0
#include "agent/facts_command.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <ostream>
#include <utility>

#include "agent/facts/collector.h"
#include "agent/facts/recorded.h"
#include "agent/facts/sources.h"
#include "agent/reading_process.h"
#include "proto/contract/errors.h"
#include "proto/contract/facts_file.h"
#include "proto/process/build_info.h"
#include "proto/process/durations.h"
#include "proto/process/event_loop.h"
#include "proto/process/exit_status.h"

namespace roceready::agent {
namespace {

// In deadlines of one reading: how long slow readings are waited for in all.
constexpr int kPatience = 4;

std::string KernelHostName() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

absl::StatusOr<std::shared_ptr<const facts::Sources>> OpenSources(const FactsOptions& options) {
  if (options.root == "/") {
    if (options.record.empty()) return facts::LiveSources();
    return facts::RecordingSources(facts::LiveSources(), options.record);
  }
  if (!options.record.empty()) return InvalidArgument("only the live host can be recorded");
  return SourcesOf(options.root);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const facts::Sources>> SourcesOf(const std::string& root) {
  if (root == "/") return facts::LiveSources();
  std::error_code error;
  if (!std::filesystem::is_directory(root, error)) {
    return NotFound("{} is no folder with a recorded host", root);
  }
  return facts::RecordedSources(root);
}

namespace {

absl::StatusOr<v1::FactsFile> CollectHere(const FactsOptions& options) {
  ASSIGN_OR_RETURN(std::shared_ptr<const facts::Sources> sources, OpenSources(options));
  SystemClock clock;
  EventLoop loop(&clock);
  facts::Collector collector(&loop, std::move(sources),
                             {.host = options.host.empty() ? KernelHostName() : options.host,
                              .deadline = options.deadline});
  v1::FactsFile file;
  const auto collect = [&](const auto& self) -> void {
    collector.Collect(options.raw_counters, [&](const facts::Collection& collection) {
      *file.mutable_facts() = collection.facts;
      *file.mutable_counters() = collection.counters;
      if (!collection.hanging) return loop.Stop();
      // Slow or hanging is the same at first sight: what answers soon is read once more.
      collector.set_on_recovered([&self] { self(self); });
    });
  };
  collect(collect);
  loop.RunAfter(kPatience * options.deadline, [&loop] { loop.Stop(); });
  loop.Run();
  file.set_format(std::string(kFactsFileFormat));
  file.set_agent_version(std::string(SoftwareVersion()));
  *file.mutable_recorded_at() = ToProto(clock.Wall());
  return file;
}

}  // namespace

absl::StatusOr<v1::FactsFile> CollectOnce(const FactsOptions& options) {
  if (options.root != "/") return CollectHere(options);
  ASSIGN_OR_RETURN(const std::string bytes,
                   ReadInChild([&options]() -> absl::StatusOr<std::string> {
                     ASSIGN_OR_RETURN(const v1::FactsFile file, CollectHere(options));
                     return file.SerializeAsString();
                   }));
  v1::FactsFile file;
  if (!file.ParseFromString(bytes)) return Internal("the reading process gave no facts");
  return file;
}

int PrintFacts(const FactsOptions& options, std::ostream& out, std::ostream& error) {
  const auto fail = [&error](const absl::Status& status) {
    error << "facts: " << Message(status) << "\n";
    return ExitStatusOfStart(status);
  };
  const absl::StatusOr<v1::FactsFile> file = CollectOnce(options);
  if (!file.ok()) return fail(file.status());
  const absl::StatusOr<std::string> text = PrintFactsFile(*file);
  if (!text.ok()) return fail(text.status());
  out << *text << std::flush;
  return out.good() ? kExitOk : kExitInternal;
}

}  // namespace roceready::agent
