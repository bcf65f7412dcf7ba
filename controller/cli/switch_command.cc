// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/switch_command.h"

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>

#include "checks/report/report.h"
#include "controller/cli/fleet_client.h"
#include "controller/cli/local_policy.h"
#include "controller/cli/switch_files.h"

namespace roceready::cli {
namespace {

using google::protobuf::util::TimeUtil;

// Well below the 4 MiB that gRPC takes in one message.
constexpr size_t kBatchBytes = size_t{2} << 20;

std::string Render(const v1::ImportSwitchesResponse& judged, const OutputOptions& output) {
  if (output.format == Format::kJson) return ToJson(judged);
  report::TableOptions options;
  options.color = output.color;
  options.width = static_cast<size_t>(output.width);
  return report::RenderSwitches(judged.summaries(), options) +
         report::RenderTable(judged.report(), options);
}

// 2 (not ready) is graver than 3 (undetermined), that than 1 and 0.
int Graver(int a, int b) {
  const auto rank = [](int status) {
    return status == kExitNotReady ? 3 : status == kExitUndetermined ? 2 : status;
  };
  return rank(a) >= rank(b) ? a : b;
}

int Show(const v1::ImportSwitchesResponse& judged, FailOn fail_on, const OutputOptions& output) {
  PrintResult(Render(judged, output));
  return ExitStatusOfVerdict(judged.report().verdict(), fail_on);
}

// One message for as many switches as fit into a batch.
std::vector<v1::ImportSwitchesRequest> RequestsOf(const std::vector<checks::KnownSwitch>& switches,
                                                  const std::string& policy) {
  std::vector<v1::ImportSwitchesRequest> requests;
  size_t bytes = kBatchBytes;
  for (const checks::KnownSwitch& one : switches) {
    const size_t size = one.facts->ByteSizeLong();
    if (bytes + size > kBatchBytes) {
      requests.emplace_back().set_policy(policy);
      bytes = 0;
    }
    *requests.back().add_switches() = *one.facts;
    bytes += size;
  }
  return requests;
}

int Store(const v1::ClientConfig& config, const SwitchImportOptions& options,
          const std::vector<checks::KnownSwitch>& switches, const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  int status = kExitOk;
  for (const v1::ImportSwitchesRequest& request : RequestsOf(switches, options.policy)) {
    const auto judged = (*client)->ImportSwitches(request);
    if (!judged.ok()) return Fail(judged.status(), output.format);
    status = Graver(status, Show(*judged, options.fail_on, output));
  }
  return status;
}

}  // namespace

int SwitchImportCommand(const v1::ClientConfig& config, const SwitchImportOptions& options,
                        const OutputOptions& output) {
  auto switches = ReadSwitchFiles(options.files);
  if (!switches.ok()) return Fail(switches.status(), output.format);
  if (!options.offline && !config.controller().empty()) {
    return Store(config, options, *switches, output);
  }
  const checks::WallTime now = std::chrono::system_clock::now();
  const auto policy = ReadLocalPolicy(options.policy, now);
  if (!policy.ok()) return Fail(policy.status(), output.format);
  const checks::PolicedSwitches policed(**policy, *std::move(switches));
  return Show(policed.JudgeAlone(now), options.fail_on, output);
}

int SwitchListCommand(const v1::ClientConfig& config, const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  const auto switches = (*client)->ListSwitches();
  if (!switches.ok()) return Fail(switches.status(), output.format);
  if (output.format == Format::kJson) {
    v1::ListSwitchesResponse message;
    for (const v1::Switch& one : *switches) *message.add_switches() = one;
    PrintResult(ToJson(message));
    return kExitOk;
  }
  size_t width = 6;
  for (const v1::Switch& one : *switches) width = std::max(width, one.name().size());
  std::string text = fmt::format("{:<{}}  {:>5}  {:>8}  {:<24}  {}\n", "SWITCH", width, "PORTS",
                                 "AGE", "HARDWARE", "FROM");
  for (const v1::Switch& one : *switches) {
    text += fmt::format("{:<{}}  {:>5}  {:>6} s  {:<24}  {}\n", one.name(), width, one.ports(),
                        TimeUtil::DurationToSeconds(one.age()), one.hardware(), one.source());
  }
  PrintResult(text);
  return kExitOk;
}

int SwitchRemoveCommand(const v1::ClientConfig& config, const SwitchRemoveOptions& options,
                        const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  const absl::Status removed = (*client)->RemoveSwitch(options.name);
  return removed.ok() ? static_cast<int>(kExitOk) : Fail(removed, output.format);
}

}  // namespace roceready::cli
