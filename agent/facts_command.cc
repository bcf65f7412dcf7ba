// SPDX-License-Identifier: Apache-2.0
#include "agent/facts_command.h"

#include <google/protobuf/util/json_util.h>
#include <unistd.h>

#include <array>
#include <ostream>

#include "agent/exit_status.h"
#include "agent/facts/collector.h"
#include "agent/facts/sources.h"
#include "proto/contract/errors.h"
#include "proto/process/build_info.h"
#include "proto/process/durations.h"
#include "proto/process/event_loop.h"
#include "proto/yaml/config_file.h"

namespace roceready::agent {
namespace {

constexpr char kFormat[] = "roceready-facts-1";

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
  file.set_format(kFormat);
  file.set_agent_version(std::string(SoftwareVersion()));
  *file.mutable_recorded_at() = ToProto(clock.Wall());
  return file;
}

absl::StatusOr<v1::FactsFile> ReadFactsFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string json, yaml::ReadTextFile(path));
  v1::FactsFile file;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // a newer agent's facts
  const auto status = google::protobuf::util::JsonStringToMessage(json, &file, options);
  if (!status.ok()) return InvalidArgument("\"{}\": {}", path, status.ToString());
  if (file.format() != kFormat || !file.has_facts()) {
    return InvalidArgument("\"{}\" is not a file of facts (`roceready-agent facts` makes one)",
                           path);
  }
  return file;
}

std::string ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string json;
  (void)google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!json.ends_with('\n')) json += '\n';
  return json;
}

int PrintFacts(const FactsOptions& options, std::ostream& out) {
  out << ToJson(CollectOnce(options)) << std::flush;
  return out.good() ? kExitOk : kExitInternal;
}

}  // namespace roceready::agent
