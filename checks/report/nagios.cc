// SPDX-License-Identifier: Apache-2.0
// RenderNagios(): one line and its performance data, after the guidelines for monitoring plugins.
#include <algorithm>

#include "checks/fold.h"
#include "checks/report/layout.h"
#include "checks/report/places.h"
#include "checks/report/report.h"
#include "checks/words.h"

namespace roceready::report {
namespace {

// More is read in the report itself.
constexpr size_t kCausesShown = 3;

std::string_view WordOf(NagiosState state) {
  switch (state) {
    case NagiosState::kOk:
      return "OK";
    case NagiosState::kWarning:
      return "WARNING";
    case NagiosState::kCritical:
      return "CRITICAL";
    case NagiosState::kUnknown:
      break;
  }
  return "UNKNOWN";
}

// "|" begins the performance data, wherever it stands.
std::string OneLine(NagiosState state, std::string_view text) {
  std::string line = Harmless(fmt::format("ROCEREADY {} - {}", WordOf(state), text));
  std::ranges::replace(line, '|', '/');
  return line;
}

std::string CausesOf(const v1::AuditReport& report) {
  std::string text;
  size_t shown = 0, more = 0;
  for (const checks::Block& block : checks::BlocksOf(report.findings())) {
    if (!block.IsNumbered()) continue;
    if (shown == kCausesShown) {
      ++more;
      continue;
    }
    const v1::Finding& root = *block.roots.front();
    const bool failed = root.status() == v1::CHECK_STATUS_FAIL;
    text += fmt::format("{}{} ({})", shown++ == 0 ? "" : "; ",
                        failed ? root.actual() : root.reason(), PlacesOf(block.roots));
  }
  if (more > 0) text += fmt::format("; and {} more", more);
  return text;
}

// 'name'=value;warn;crit;min;max. A range of 0 is left by any number above it.
std::string PerformanceOf(const v1::Verdict& verdict) {
  uint64_t judged = 0, passed = 0;
  for (const v1::CheckTally& tally : verdict.tallies()) {
    judged += tally.evaluated();
    passed += tally.pass();
  }
  const v1::Coverage& coverage = verdict.coverage();
  std::string text = fmt::format(
      "blocking={};;0;0 unknown={};;;0 degrading={};0;;0 advice={};;;0 hosts={};;;0;{} "
      "hosts_blocked={};;;0;{} ports={};;;0 pairs={};;;0;{} passed={};;;0;{}",
      verdict.blocking(), verdict.blocking_unknown(), verdict.degrading(), verdict.advice(),
      coverage.hosts_judged(), coverage.hosts_asked(), verdict.hosts_blocked_size(),
      coverage.hosts_asked(), coverage.ports_judged(), coverage.pairs_probed(),
      coverage.pairs_planned(), passed, judged);
  if (coverage.has_loss_below_percent()) {
    text += fmt::format(" loss_below={:.4f}%;;;0;100", coverage.loss_below_percent());
  }
  return text;
}

}  // namespace

NagiosState NagiosStateOf(const v1::Verdict& verdict, const NagiosOptions& options) {
  if (!options.unfinished.empty()) return NagiosState::kUnknown;
  switch (verdict.readiness()) {
    case v1::READINESS_NOT_READY:
      return NagiosState::kCritical;
    case v1::READINESS_READY:
      break;
    default:
      return NagiosState::kUnknown;
  }
  const bool lesser = verdict.degrading() > 0 || (options.advice_warns && verdict.advice() > 0);
  return lesser ? NagiosState::kWarning : NagiosState::kOk;
}

std::string RenderNagios(const v1::AuditReport& report, const NagiosOptions& options) {
  const v1::Verdict& verdict = report.verdict();
  std::string text = fmt::format("{}: {}", WordOf(verdict.readiness()), CountsOf(verdict));
  if (!options.unfinished.empty()) text = fmt::format("{}; {}", options.unfinished, text);
  const std::string causes = CausesOf(report);
  if (!causes.empty()) text += ": " + causes;
  return fmt::format("{} | {}\n", OneLine(NagiosStateOf(verdict, options), text),
                     PerformanceOf(verdict));
}

std::string RenderNagiosError(std::string_view message) {
  return OneLine(NagiosState::kUnknown, message) + "\n";
}

}  // namespace roceready::report
