// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/report_output.h"

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <cstdlib>

#include "checks/report/report.h"

namespace roceready::cli {
namespace {

using google::protobuf::util::TimeUtil;

// "41 s", "7 min 3 s"; empty while the audit has not ended.
std::string Took(const v1::Audit& audit) {
  if (!audit.has_created_at() || !audit.has_ended_at()) return "";
  const int64_t seconds = TimeUtil::DurationToSeconds(audit.ended_at() - audit.created_at());
  return seconds < 60 ? fmt::format("{} s", seconds)
                      : fmt::format("{} min {} s", seconds / 60, seconds % 60);
}

std::string_view StateWord(v1::HostState state) {
  switch (state) {
    case v1::HOST_STATE_CONNECTED:
      return "connected";
    case v1::HOST_STATE_STALE:
      return "stale";
    case v1::HOST_STATE_MISSING:
      return "missing";
    case v1::HOST_STATE_MAINTENANCE:
      return "maintenance";
    case v1::HOST_STATE_UNKNOWN:
      return "unknown";
    default:
      return "state not known to this program";
  }
}

std::string FactAge(const v1::Host& host) {
  return host.has_fact_age() ? fmt::format("{} s", TimeUtil::DurationToSeconds(host.fact_age()))
                             : "-";
}

// Why it is not connected, and a clock that is off by more than the way of a message explains.
std::string RemarkOn(const v1::Host& host) {
  constexpr int64_t kWorthTelling = 1000;
  std::string remark = host.state_reason();
  const int64_t offset = TimeUtil::DurationToMilliseconds(host.clock_offset());
  if (std::abs(offset) <= kWorthTelling) return remark;
  if (!remark.empty()) remark += "; ";
  return remark + fmt::format("its clock is {:.1f} s {}",
                              static_cast<double>(std::abs(offset)) / 1000,
                              offset > 0 ? "ahead" : "behind");
}

void AddProblems(const std::vector<yaml::Problem>& problems, google::protobuf::Value& value) {
  google::protobuf::ListValue* list = value.mutable_list_value();
  for (const yaml::Problem& problem : problems) {
    auto& fields = *list->add_values()->mutable_struct_value()->mutable_fields();
    fields["file"].set_string_value(problem.file);
    if (problem.at.line > 0) {
      fields["line"].set_number_value(problem.at.line);
      fields["column"].set_number_value(problem.at.column);
    }
    if (!problem.path.empty()) fields["path"].set_string_value(problem.path);
    fields["text"].set_string_value(problem.text);
  }
}

// Why the audit did not end as it should; empty where it did.
std::string UnfinishedWords(const v1::Audit& audit) {
  if (audit.state() == v1::AUDIT_STATE_DONE) return "";
  return fmt::format("the audit did not end: {}",
                     audit.abort_reason().empty() ? "interrupted" : audit.abort_reason());
}

report::NagiosOptions NagiosOptionsOf(const AuditResult& result, FailOn fail_on) {
  return {.advice_warns = fail_on == FailOn::kAdvice, .unfinished = UnfinishedWords(result.audit)};
}

report::TableOptions TableOptionsOf(const AuditResult& result, const OutputOptions& output) {
  report::TableOptions options;
  options.color = output.color;
  options.width = static_cast<size_t>(output.width);
  options.took = Took(result.audit);
  options.audit_id = result.audit.audit_id();
  return options;
}

}  // namespace

google::protobuf::Struct PolicyResultAsMessage(const PolicyResult& result) {
  google::protobuf::Struct document;
  auto& fields = *document.mutable_fields();
  fields["valid"].set_bool_value(result.ok());
  if (result.ok()) {
    fields["name"].set_string_value(result.policy->name());
    fields["digest"].set_string_value(result.policy->digest());
  }
  AddProblems(result.problems, fields["problems"]);
  AddProblems(result.notes, fields["notes"]);
  return document;
}

std::string RenderAudit(const AuditResult& result, const OutputOptions& output, FailOn fail_on) {
  switch (output.format) {
    case Format::kJson:
      return report::RenderJson(result.report);
    case Format::kJunit:
      return report::RenderJunit(result.report, UnfinishedWords(result.audit));
    case Format::kNagios:
      return report::RenderNagios(result.report, NagiosOptionsOf(result, fail_on));
    case Format::kTable:
    case Format::kCsv:
      break;
  }
  return report::RenderTable(result.report, TableOptionsOf(result, output));
}

std::string RenderFindingsOfProbes(const AuditResult& result, const OutputOptions& output) {
  report::TableOptions options = TableOptionsOf(result, output);
  options.only_probes = true;
  return report::RenderTable(result.report, options);
}

int StatusOfAudit(const AuditResult& result, const OutputOptions& output, FailOn fail_on) {
  const v1::Verdict& verdict = result.report.verdict();
  if (output.format == Format::kNagios) {
    return static_cast<int>(report::NagiosStateOf(verdict, NagiosOptionsOf(result, fail_on)));
  }
  return ExitStatusOfVerdict(verdict, fail_on);
}

std::string RenderHosts(const std::vector<v1::Host>& hosts, const OutputOptions& output) {
  if (output.format == Format::kJson) {
    v1::ListHostsResponse message;
    for (const v1::Host& host : hosts) *message.add_hosts() = host;
    return ToJson(message);
  }
  size_t width = 4;
  for (const v1::Host& host : hosts) width = std::max(width, host.host().size());
  std::string text = fmt::format("{:<{}}  {:<11}  {:>7}  {:<8}  {}\n", "HOST", width, "STATE",
                                 "FACTS", "AGENT", "REASON");
  for (const v1::Host& host : hosts) {
    std::string line =
        fmt::format("{:<{}}  {:<11}  {:>7}  {:<8}  {}", host.host(), width, StateWord(host.state()),
                    FactAge(host), host.agent_version(), RemarkOn(host));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace roceready::cli
