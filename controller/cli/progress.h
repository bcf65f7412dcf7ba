// SPDX-License-Identifier: Apache-2.0
// Partial results while an audit runs: on a terminal one line that is written over, with what is
// known by then below it, and each new finding above; nothing at all where stderr is no terminal.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "roceready/v1/fleet.pb.h"

namespace roceready::cli {

// Which findings are worth a line while an audit runs: what fails, and what of it is taken back.
class FindingLines {
 public:
  // "! gpu001 mlx5_0  pfc.lossless-priority  off", "- ... taken back: REASON", or nothing.
  std::string LineFor(const v1::Finding& finding);

 private:
  std::set<std::string> shown_;  // keys
};

class Progress {
 public:
  explicit Progress(bool on_terminal) : on_terminal_(on_terminal) {}

  void Show(const v1::WatchAuditResponse& event);
  // Lines below the progress line, from the next event on; each fits the terminal.
  void SetBelow(std::string lines) { below_ = std::move(lines); }
  // A line of our own, such as a lost connection. Repeated at most once in a row.
  void Note(std::string_view text);
  // Leaves the terminal clean for the report.
  void End();

 private:
  void Erase();

  const bool on_terminal_;
  bool line_shown_ = false;
  std::string below_;
  std::size_t lines_below_ = 0;  // of those that are shown
  std::string last_note_;
  FindingLines findings_;
};

// "probing: 3/3 hosts, 4/6 pairs"
std::string ProgressLine(const v1::WatchAuditResponse& event);

}  // namespace roceready::cli
