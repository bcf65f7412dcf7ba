// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

namespace roceready::cli {
namespace {

constexpr char kEraseLine[] = "\r\x1b[K";
constexpr char kEraseFromHere[] = "\r\x1b[J";

std::string_view StateWord(v1::AuditState state) {
  switch (state) {
    case v1::AUDIT_STATE_QUEUED:
      return "queued";
    case v1::AUDIT_STATE_REFRESHING:
      return "reading fresh facts";
    case v1::AUDIT_STATE_PROBING:
      return "probing";
    case v1::AUDIT_STATE_JUDGING:
      return "judging";
    default:
      return "ending";
  }
}

// A problem worth a line before the report is there: what blocks, and what could not be learned.
bool WorthALine(const v1::Finding& finding) {
  return finding.status() == v1::CHECK_STATUS_FAIL && finding.caused_by().empty() &&
         finding.waived_by().empty();
}

}  // namespace

std::string ProgressLine(const v1::WatchAuditResponse& event) {
  std::string line(StateWord(event.state()));
  const v1::AuditProgress& progress = event.progress();
  if (progress.hosts_total() > 0) {
    line += fmt::format(": {}/{} hosts", progress.hosts_done(), progress.hosts_total());
  }
  if (progress.probes_total() > 0) {
    line += fmt::format(", {}/{} pairs", progress.probes_done(), progress.probes_total());
  }
  if (progress.retests_total() > 0) {
    line += fmt::format(", {}/{} more to tell who is to blame", progress.retests_done(),
                        progress.retests_total());
  }
  return line;
}

std::string FindingLines::LineFor(const v1::Finding& finding) {
  const std::string about = fmt::format("{}  {}", finding.subject().label(), finding.check_id());
  if (WorthALine(finding)) {
    shown_.insert(finding.key());
    return fmt::format("! {}  {}", about, finding.actual());
  }
  if (shown_.erase(finding.key()) == 0) return "";
  const std::string reason =
      finding.caused_by().empty() ? finding.reason() : "it follows from another finding";
  return fmt::format("- {}  taken back{}{}", about, reason.empty() ? "" : ": ", reason);
}

// What is shown, with the cursor at its end, goes; what comes next begins in its place.
void Progress::Erase() {
  if (lines_below_ > 0) fmt::print(stderr, "\x1b[{}A{}", lines_below_, kEraseFromHere);
  if (line_shown_) fmt::print(stderr, "{}", kEraseLine);
  lines_below_ = 0;
  line_shown_ = false;
}

void Progress::Show(const v1::WatchAuditResponse& event) {
  if (!on_terminal_) return;
  last_note_.clear();
  Erase();
  if (event.has_finding()) {
    const std::string line = findings_.LineFor(event.finding());
    if (!line.empty()) fmt::print(stderr, "{}\n", line);
  }
  // Of the last event it is why the audit ended, which is told with the report.
  if (event.state() == v1::AUDIT_STATE_PROBING && !event.note().empty()) {
    fmt::print(stderr, "{}\n", event.note());
  }
  fmt::print(stderr, "{}", ProgressLine(event));
  std::string_view below = below_;
  if (below.ends_with('\n')) below.remove_suffix(1);
  if (!below.empty()) {
    fmt::print(stderr, "\n{}", below);
    lines_below_ = 1 + static_cast<std::size_t>(std::ranges::count(below, '\n'));
  }
  std::fflush(stderr);
  line_shown_ = true;
}

void Progress::Note(std::string_view text) {
  if (text == last_note_) return;
  last_note_ = std::string(text);
  Erase();
  fmt::print(stderr, "roceready: {}\n", text);
}

void Progress::End() {
  Erase();
  std::fflush(stderr);
}

}  // namespace roceready::cli
