// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/maintenance_command.h"

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include <map>
#include <tuple>

#include "checks/report/layout.h"
#include "controller/cli/fleet_client.h"
#include "proto/contract/host_list.h"
#include "proto/process/exit_status.h"

namespace roceready::cli {
namespace {

using google::protobuf::util::TimeUtil;

int Set(FleetClient& client, const MaintenanceOptions& options, const OutputOptions& output) {
  v1::SetMaintenanceRequest request;
  request.set_hosts(options.hosts);
  request.set_reason(options.reason);
  *request.mutable_duration() = TimeUtil::MillisecondsToDuration(options.duration.count());
  const auto set = client.SetMaintenance(request);
  if (!set.ok()) return Fail(set.status(), output.format);
  PrintResult(output.format == Format::kJson
                  ? ToJson(*set)
                  : RenderMaintenance({set->marks().begin(), set->marks().end()}));
  return kExitOk;
}

int End(FleetClient& client, const MaintenanceOptions& options, const OutputOptions& output) {
  const auto ended = client.EndMaintenance(options.hosts);
  if (!ended.ok()) return Fail(ended.status(), output.format);
  if (output.format == Format::kJson) {
    PrintResult(ToJson(*ended));
  } else {
    PrintResult(ended->ended().empty() ? "none of them was set aside\n"
                                       : fmt::format("no longer set aside: {}\n", ended->ended()));
  }
  return kExitOk;
}

int List(FleetClient& client, const OutputOptions& output) {
  const auto marks = client.ListMaintenance();
  if (!marks.ok()) return Fail(marks.status(), output.format);
  if (output.format == Format::kJson) {
    v1::ListMaintenanceResponse message;
    *message.mutable_marks() = {marks->begin(), marks->end()};
    PrintResult(ToJson(message));
  } else {
    PrintResult(marks->empty() ? "no host is set aside\n" : RenderMaintenance(*marks));
  }
  return kExitOk;
}

}  // namespace

std::string RenderMaintenance(const std::vector<v1::MaintenanceMark>& marks) {
  using Together = std::tuple<std::string, std::string, std::string>;  // until, by, reason
  std::map<Together, std::vector<std::string>> groups;
  for (const v1::MaintenanceMark& mark : marks) {
    groups[{TimeUtil::ToString(TimeUtil::SecondsToTimestamp(mark.until().seconds())), mark.set_by(),
            mark.reason()}]
        .push_back(mark.host());
  }
  std::string text;
  for (const auto& [together, hosts] : groups) {
    const auto& [until, by, reason] = together;
    text += fmt::format("{}  until {}, {}: {}\n", FoldHostList(hosts), until, report::Harmless(by),
                        report::Harmless(reason));
  }
  return text;
}

int MaintenanceCommand(const v1::ClientConfig& config, const MaintenanceOptions& options,
                       const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  switch (options.verb) {
    case MaintenanceOptions::Verb::kSet:
      return Set(**client, options, output);
    case MaintenanceOptions::Verb::kEnd:
      return End(**client, options, output);
    case MaintenanceOptions::Verb::kList:
      break;
  }
  return List(**client, output);
}

}  // namespace roceready::cli
