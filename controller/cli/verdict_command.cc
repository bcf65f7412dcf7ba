// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/verdict_command.h"

#include <fmt/format.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/time_util.h>
#include <syslog.h>

#include "checks/report/layout.h"
#include "checks/report/report.h"
#include "controller/cli/fleet_client.h"
#include "controller/cli/system_log.h"
#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"

namespace roceready::cli {
namespace {

using google::protobuf::util::TimeUtil;
using std::chrono::milliseconds;

// Beyond what the controller itself waits.
constexpr milliseconds kCallTime{10'000};
constexpr int kDenied = 1;
// Of a set with many faults, what one line shows.
constexpr int kCausesInALine = 3;

v1::GetVerdictRequest RequestOf(const VerdictQuestion& question) {
  v1::GetVerdictRequest request;
  request.set_hosts(question.hosts);
  request.set_policy(question.policy);
  const auto put = [](const std::optional<milliseconds>& from, google::protobuf::Duration* to) {
    *to = TimeUtil::MillisecondsToDuration(from->count());
  };
  if (question.max_age) put(question.max_age, request.mutable_max_age());
  if (question.max_probe_age) put(question.max_probe_age, request.mutable_max_probe_age());
  if (question.wait) put(question.wait, request.mutable_wait());
  return request;
}

std::string AgeInWords(const google::protobuf::Duration& age) {
  const int64_t seconds = TimeUtil::DurationToSeconds(age);
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min", seconds / 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

// "facts up to 12 s old, probes up to 20 min": what a set that is ready rests on.
std::string RestsOn(const v1::GetVerdictResponse& response) {
  std::string text =
      fmt::format("facts up to {} old", AgeInWords(response.verdict().coverage().oldest_fact()));
  if (!response.has_oldest_probe()) return text + ", no probes";
  return text + fmt::format(", probes up to {}", AgeInWords(response.oldest_probe()));
}

std::string CausesInALine(const v1::GetVerdictResponse& response) {
  std::string text;
  int shown = 0;
  for (const v1::Finding& cause : response.causes()) {
    if (shown == kCausesInALine) break;
    const bool known = cause.status() == v1::CHECK_STATUS_FAIL;
    text += fmt::format(
        "{}{} {}: {}", shown == 0 ? "" : "; ", cause.check_id(),
        cause.subject().label().empty() ? cause.subject().host() : cause.subject().label(),
        known ? cause.actual() : "unknown, " + cause.reason());
    ++shown;
  }
  const int more = response.causes_size() - shown + static_cast<int>(response.more_causes());
  return more > 0 ? text + fmt::format("; and {} more", more) : text;
}

void Log(const GateDecision& decision, const GateOptions& options) {
  SendToSystemLog(
      SystemLogLine(decision.allowed ? LOG_WARNING : LOG_NOTICE, "roceready-gate",
                    fmt::format("{} {}: {}", decision.allowed ? "allowed" : "denied",
                                report::Harmless(options.question.hosts), decision.reason)));
}

// What the controller itself finds wrong with the question, such as a policy that it does not have.
bool IsRefusal(const absl::Status& status) {
  return status.code() == absl::StatusCode::kInvalidArgument ||
         status.code() == absl::StatusCode::kNotFound ||
         status.code() == absl::StatusCode::kPermissionDenied;
}

}  // namespace

absl::StatusOr<v1::GetVerdictResponse> AskVerdict(FleetClient& client,
                                                  const VerdictQuestion& question) {
  return client.GetVerdict(RequestOf(question),
                           kCallTime + question.wait.value_or(milliseconds::zero()));
}

GateDecision DecideGate(const absl::StatusOr<v1::GetVerdictResponse>& answer,
                        const GateOptions& options) {
  if (!answer.ok() && IsRefusal(answer.status())) {
    // Not a controller that is away: it would let every job pass for ever.
    return {.allowed = options.allow_undetermined,
            .worth_logging = true,
            .reason = report::Harmless(
                fmt::format("the controller refuses the question, {}", Message(answer.status())))};
  }
  if (!answer.ok()) {
    return {
        .allowed = options.allow_unavailable,
        .worth_logging = true,
        .reason = report::Harmless(fmt::format("nothing is known, {}", Message(answer.status())))};
  }
  // A job is not to begin on what was not judged, whatever the rest is.
  if (const auto& set_aside = answer->verdict().coverage().hosts_in_maintenance();
      !set_aside.empty()) {
    return {.allowed = false,
            .worth_logging = true,
            .reason = fmt::format("in maintenance: {} (`roceready maintenance list` says why)",
                                  FoldHostList({set_aside.begin(), set_aside.end()}))};
  }
  switch (answer->verdict().readiness()) {
    case v1::READINESS_READY:
      return {.allowed = true, .worth_logging = false, .reason = "ready, " + RestsOn(*answer)};
    case v1::READINESS_NOT_READY:
      return {.allowed = false,
              .worth_logging = true,
              .reason = report::Harmless("not ready, " + CausesInALine(*answer))};
    default:
      return {.allowed = options.allow_undetermined,
              .worth_logging = true,
              .reason = report::Harmless("undetermined, " + CausesInALine(*answer))};
  }
}

std::string RenderVerdict(const v1::GetVerdictResponse& response, const OutputOptions& output) {
  if (output.format == Format::kJson) return ToJson(response);
  v1::AuditReport report;
  *report.mutable_verdict() = response.verdict();
  *report.mutable_findings() = response.causes();
  report::TableOptions options;
  options.color = output.color;
  options.width = static_cast<size_t>(output.width);
  std::string text = report::RenderTable(report, options);
  if (response.more_causes() > 0) {
    text += fmt::format("{} more causes are not shown: `roceready audit` shows all\n",
                        response.more_causes());
  }
  return text +
         fmt::format("rests on {}{}\n", RestsOn(response),
                     response.probed_by().empty()
                         ? ""
                         : fmt::format(" (audits {})", fmt::join(response.probed_by(), ", ")));
}

int VerdictCommand(const v1::ClientConfig& config, const VerdictOptions& options,
                   const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  const auto answer = AskVerdict(**client, options.question);
  if (!answer.ok()) return Fail(answer.status(), output.format);
  PrintResult(RenderVerdict(*answer, output));
  return ExitStatusOfVerdict(answer->verdict(), options.fail_on);
}

int GateCommand(const absl::StatusOr<v1::ClientConfig>& config, const GateOptions& options,
                const OutputOptions& output) {
  const auto ask = [&]() -> absl::StatusOr<v1::GetVerdictResponse> {
    // No controller has said it: whatever is wrong here, it is no answer.
    if (!config.ok()) return Unavailable("{}", Message(config.status()));
    const auto client = FleetClient::Create(*config);
    if (!client.ok()) return Unavailable("{}", Message(client.status()));
    return (*client)->GetVerdict(RequestOf(options.question), options.timeout);
  };
  const GateDecision decision = DecideGate(ask(), options);
  if (output.format == Format::kJson) {
    google::protobuf::Struct document;
    (*document.mutable_fields())["allowed"].set_bool_value(decision.allowed);
    (*document.mutable_fields())["reason"].set_string_value(decision.reason);
    PrintResult(ToJson(document));
  } else {
    PrintResult(fmt::format("{}: {}\n", decision.allowed ? "allowed" : "denied", decision.reason));
  }
  if (decision.worth_logging) Log(decision, options);
  return decision.allowed ? kExitOk : kDenied;
}

}  // namespace roceready::cli
