// SPDX-License-Identifier: Apache-2.0
// RenderFixAnsible().
#include <fmt/core.h>

#include <algorithm>

#include "checks/report/fix_comments.h"

namespace roceready::report {
namespace {

// A YAML scalar between single quotes; nothing but the quote means anything there.
std::string Scalar(std::string_view text) {
  std::string scalar = "'";
  for (const char c : text) {
    scalar += c;
    if (c == '\'') scalar += c;
  }
  return scalar + "'";
}

// Ansible evaluates what is between such brackets, on the machine that it is started on.
bool IsTemplate(std::string_view text) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"{{", "{%", "{#"},
      [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

// Names of groups that every inventory has: one of them means every host.
bool IsReserved(const std::string& target) { return target == "all" || target == "ungrouped"; }

std::string TargetsOf(const FixStep& step) {
  std::string text;
  for (const std::string& target : step.targets) {
    if (IsReserved(target)) {
      text += Comment(fmt::format("left out: Ansible takes {} for a group", target), 4);
    } else {
      text += fmt::format("    - {}\n", Scalar(target));
    }
  }
  return text;
}

std::string TaskOf(const FixCause& cause, const FixStep& step) {
  const std::string comment = StepComment(cause, step, 4);
  if (IsTemplate(step.command)) {
    return comment +
           Comment("left out: Ansible would evaluate what this command holds: " + step.command, 4);
  }
  return comment + fmt::format("    - name: {}\n      ansible.builtin.shell:\n        cmd: {}\n",
                               Scalar(fmt::format("{}, {}", cause.check_id, LastsWords(step))),
                               Scalar(step.command));
}

std::string PlayOf(const FixCause& cause, const std::vector<const FixStep*>& steps) {
  const FixStep& first = *steps.front();
  const bool has_target = !std::ranges::all_of(first.targets, IsReserved);
  const bool has_task =
      !std::ranges::all_of(steps, [](const FixStep* step) { return IsTemplate(step->command); });
  std::string text =
      fmt::format("- name: {}\n", Scalar(fmt::format("root cause {}", cause.number)));
  text += fmt::format("  hosts:{}\n{}", has_target ? "" : " []", TargetsOf(first));
  text += "  gather_facts: false\n  become: true\n";
  text += fmt::format("  tasks:{}\n", has_task ? "" : " []");
  for (const FixStep* step : steps) text += TaskOf(cause, *step);
  return text;
}

}  // namespace

std::string RenderFixAnsible(const FixPlan& plan, const FixHeading& heading) {
  std::string text = "---\n" + HeadingComment(heading, "A playbook for ansible-playbook.");
  if (plan.causes.empty()) text += "\n" + Comment("There is nothing to mend.");
  for (const FixCause& cause : plan.causes) {
    text += "\n" + CauseComment(cause);
    ForEachTargets(cause,
                   [&](const std::vector<const FixStep*>& steps) { text += PlayOf(cause, steps); });
  }
  // A file of comments alone is no playbook.
  return plan.HasSteps() ? text : text + "[]\n";
}

}  // namespace roceready::report
