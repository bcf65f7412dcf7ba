// SPDX-License-Identifier: Apache-2.0
// What mends the root causes of a report: which commands, on which hosts, and what no command can
// do. Names in it come from hosts: what would be dangerous to hand to a shell or a tool is told
// apart here, once for all formats.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <vector>

#include "roceready/v1/finding.pb.h"

namespace roceready::report {

// One command and all the machines that need exactly this one. Printable ASCII, for a POSIX shell.
struct FixStep {
  std::string command;
  // In lower case and in HostNameLess order; each is fit for a command line and a tool's host list.
  std::vector<std::string> targets;
  // Absent: the check does not say.
  std::optional<bool> survives_reboot;
  // What else is to be done, in words.
  std::string text;
  std::string places;
};

// What is left to a person: there is no command, it lacks a value, or it must not be run.
struct FixByHand {
  std::string why;
  // With its placeholders; empty where there is none that could be shown.
  std::string command;
  std::string text;
  std::string places;
};

struct FixCause {
  // As in the table.
  size_t number = 0;
  std::string check_id;
  std::string weight;
  std::string wanted;
  std::string seen;
  std::string places;
  // Findings that follow from it, and that these commands therefore mend too.
  size_t folded = 0;
  std::vector<FixStep> steps;
  std::vector<FixByHand> by_hand;
};

struct FixPlan {
  std::vector<FixCause> causes;

  bool HasSteps() const;
};

// All root causes, or the one of this number; kNotFound where the table has no such number.
absl::StatusOr<FixPlan> PlanFixes(const v1::AuditReport& report, std::optional<size_t> number);

}  // namespace roceready::report
