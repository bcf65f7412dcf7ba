// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/option_kinds.h"

#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"
#include "proto/process/durations.h"
#include "proto/yaml/scalar.h"

namespace roceready::cli {

CLI::Option* AddHosts(CLI::App& app, const std::string& name, std::string& target,
                      const std::string& description) {
  return app
      .add_option_function<std::string>(
          name,
          [&target](const std::string& list) {
            target = list;
            if (list == "*") return;
            const auto hosts = ExpandHostList(list);
            if (hosts.ok()) return;
            throw CLI::ValidationError(
                fmt::format("{}\n{}", Message(hosts.status()), PointAt(list, hosts.status())));
          },
          description)
      ->type_name("LIST");
}

CLI::Option* AddDuration(CLI::App& app, const std::string& flag, const DurationRange& range,
                         const std::function<void(std::chrono::milliseconds)>& take,
                         const std::string& description) {
  return app
      .add_option_function<std::string>(
          flag,
          [flag, range, take](const std::string& text) {
            const auto parsed = yaml::ParseDuration(text);
            const auto duration = std::chrono::duration_cast<std::chrono::milliseconds>(
                FromProto(parsed.value_or(google::protobuf::Duration())));
            if (!parsed || duration < range.least || duration > range.most) {
              throw CLI::ValidationError(flag, fmt::format("found {}, expected a duration {}",
                                                           yaml::Quote(text), range.in_words));
            }
            take(duration);
          },
          description)
      ->type_name("DURATION");
}

void AddFailOn(CLI::App& app, FailOn& fail_on) {
  AddChoice<FailOn>(
      app, "--fail-on", fail_on,
      {{"blocks", FailOn::kBlocks}, {"degrades", FailOn::kDegrades}, {"advice", FailOn::kAdvice}},
      "the least finding that keeps the status from 0");
}

}  // namespace roceready::cli
