// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/probe_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "checks/report/layout.h"
#include "checks/words.h"
#include "controller/cli/device_names.h"
#include "controller/cli/fleet_client.h"
#include "controller/cli/probe_output.h"
#include "controller/cli/probe_ways.h"
#include "controller/cli/progress.h"
#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"

namespace roceready::cli {
namespace {

using checks::Counted, checks::Grouped;

// Of what stands below the progress line: a terminal scrolls what is longer, and it cannot be
// written over.
constexpr std::ptrdiff_t kLiveLines = 20;

std::vector<Measure> MeasuresOf(const std::optional<Measure>& matrix) {
  return matrix ? std::vector{*matrix} : AllMeasures();
}

// The results of one audit, read as they come.
class Results {
 public:
  explicit Results(FleetClient* client) : client_(client), names_(client) {}

  absl::Status ReadNew(const std::string& audit_id) {
    return client_->ReadProbeResults(audit_id, read_, [this](const v1::ProbeResult& result) {
      ++read_;
      ways_.Add(result);
    });
  }

  // Names for all hosts where they are few, else for those in `first` as far as that goes.
  void NameDevices(const std::set<std::string>& first) {
    names_.Learn(first);
    const std::set<std::string> all = ways_.Hosts();
    if (all.size() <= DeviceNames::kMaxHosts) names_.Learn(all);
    ways_.NameDevices([this](const std::string& host, const std::string& device_id) {
      return names_.Find(host, device_id);
    });
  }

  ProbeWays& ways() { return ways_; }
  std::uint64_t read() const { return read_; }

 private:
  FleetClient* client_;
  DeviceNames names_;
  ProbeWays ways_;
  std::uint64_t read_ = 0;
};

// A matrix that fills. What cannot be read now is read at the end.
void ShowNew(const std::string& audit_id, const v1::WatchAuditResponse& event, Measure measure,
             const OutputOptions& output, Results& results, Progress& progress) {
  if (!output.progress || event.progress().probes_done() <= results.read()) return;
  if (!results.ReadNew(audit_id).ok()) return;
  results.NameDevices({});
  std::string text =
      RenderWays(results.ways().Sorted(), {measure}, static_cast<std::size_t>(output.width));
  if (std::ranges::count(text, '\n') <= kLiveLines) progress.SetBelow(std::move(text));
}

absl::StatusOr<v1::ProbeReport> ReportOf(const AuditResult& audit, Results& results) {
  RETURN_IF_ERROR(results.ReadNew(audit.audit.audit_id()));
  results.ways().AddNotProbed(audit.report.findings());
  std::set<std::string> bad_hosts;
  for (const WayEnds& way : BadWays(audit.report.findings())) {
    bad_hosts.insert({way.first.first, way.second.first});
  }
  results.NameDevices(bad_hosts);
  return ProbeReportOf(audit, results.ways());
}

std::string Render(const v1::ProbeReport& report, const std::optional<Measure>& matrix,
                   const OutputOptions& output) {
  const std::vector<Measure> measures = MeasuresOf(matrix);
  switch (output.format) {
    case Format::kJson:
      return ToJson(report);
    case Format::kCsv:
      return RenderProbesCsv(report, measures);
    default:
      return RenderProbes(report, measures, static_cast<std::size_t>(output.width));
  }
}

}  // namespace

int ProbeCommand(const v1::ClientConfig& config, const ProbeOptions& options,
                 const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  Results results(client->get());
  Progress progress(output.progress);
  const Measure live = options.matrix.value_or(Measure::kBandwidth);
  const auto audit =
      RunAudit(**client, options.audit, progress,
               [&](const std::string& audit_id, const v1::WatchAuditResponse& event) {
                 ShowNew(audit_id, event, live, output, results, progress);
               });
  if (!audit.ok()) return Fail(audit.status(), output.format);
  const auto report = ReportOf(*audit, results);
  if (!report.ok()) return Fail(report.status(), output.format);
  std::string text = Render(*report, options.matrix, output);
  if (output.format == Format::kTable) text += "\n" + RenderFindingsOfProbes(*audit, output);
  PrintResult(text);
  return StatusOfRun(*audit, output, options.audit.fail_on);
}

int ProbeShowCommand(const v1::ClientConfig& config, const ProbeShowOptions& options,
                     const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  const auto audit = FetchAudit(**client, options.audit_id);
  if (!audit.ok()) return Fail(audit.status(), output.format);
  Results results(client->get());
  const auto report = ReportOf(*audit, results);
  if (!report.ok()) return Fail(report.status(), output.format);
  PrintResult(Render(*report, options.matrix, output));
  return kExitOk;
}

std::string RenderStop(const v1::StopProbesResponse& stopped) {
  std::string text;
  if (stopped.audit_ids().empty()) {
    text = "no audit had probes to stop\n";
  } else {
    text = fmt::format("{} ended, {} not begun, of {}: {}\n",
                       Counted(stopped.pairs_ended(), "pair"), Grouped(stopped.pairs_not_begun()),
                       Counted(static_cast<std::uint64_t>(stopped.audit_ids_size()), "audit"),
                       checks::JoinWords(stopped.audit_ids()));
  }
  if (stopped.hosts_unsure().empty()) return text + "no probe sends any more\n";
  const std::string hosts =
      FoldHostList({stopped.hosts_unsure().begin(), stopped.hosts_unsure().end()});
  return text + fmt::format(
                    "not sure of {}: no word that the probe there ended; it does by its own "
                    "deadline, or when the controller is away\n",
                    report::Harmless(hosts));
}

int ProbeStopCommand(const v1::ClientConfig& config, const ProbeStopOptions& options,
                     const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  v1::StopProbesRequest request;
  request.set_audit_id(options.audit_id);
  request.set_all(options.all);
  request.set_reason(options.reason);
  const auto stopped = (*client)->StopProbes(request);
  if (!stopped.ok()) return Fail(stopped.status(), output.format);
  PrintResult(output.format == Format::kJson ? ToJson(*stopped) : RenderStop(*stopped));
  return stopped->hosts_unsure().empty() ? kExitOk : kExitUndetermined;
}

}  // namespace roceready::cli
