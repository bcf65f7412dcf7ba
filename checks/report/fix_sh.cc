// SPDX-License-Identifier: Apache-2.0
// RenderFixShell() and RenderFixClush().
#include <fmt/core.h>

#include <algorithm>

#include "checks/report/fix_comments.h"
#include "checks/shell.h"
#include "proto/contract/host_list.h"

namespace roceready::report {
namespace {

constexpr size_t kWidth = 80;

// Each command is one word that a shell of its own takes apart: whatever is wrong in one cannot
// change what follows it.
constexpr char kShellStart[] = R"(
host=${1:-$(uname -n)}
host=$(printf '%s' "$host" | tr '[:upper:]' '[:lower:]')
)";
constexpr char kShellRun[] = R"(status=0
ran=0

run() {
  ran=1
  printf '%s# %s\n' "$host" "$1"
  sh -c "$1" || { status=1; printf '%s: that failed\n' "$host" >&2; }
}
)";
constexpr char kShellEnd[] = R"(
[ "$ran" -eq 1 ] || printf '%s: nothing here is for this host\n' "$host"
exit "$status"
)";

// One word for the shell; always quoted, so that all lines look alike.
std::string Quoted(const std::string& text) {
  const std::string word = checks::ShellWord(text);
  return word == text ? fmt::format("'{}'", text) : word;
}

bool HasDot(const std::string& name) { return name.find('.') != std::string::npos; }

// "gpu001 | gpu002", over as many lines as it takes.
std::string Pattern(const std::vector<std::string>& names) {
  std::string pattern, line;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string piece = names[i] + (i + 1 < names.size() ? " | " : ")");
    if (line.size() + piece.size() >= kWidth - 1) {
      pattern += line + "\\\n";
      line = "  ";
    }
    line += piece;
  }
  return pattern + line;
}

// A host goes by its name without the domain, unless one with it is meant.
std::string ShortenHost(const FixPlan& plan) {
  std::vector<std::string> with_domain;
  for (const FixCause& cause : plan.causes) {
    for (const FixStep& step : cause.steps) {
      std::ranges::copy_if(step.targets, std::back_inserter(with_domain), HasDot);
    }
  }
  if (with_domain.empty()) return "host=${host%%.*}\n";
  std::ranges::sort(with_domain, HostNameLess);
  with_domain.erase(std::ranges::unique(with_domain).begin(), with_domain.end());
  return fmt::format("case $host in\n{} ;;\n*) host=${{host%%.*}} ;;\nesac\n",
                     Pattern(with_domain));
}

std::string Nothing(const FixPlan& plan) {
  return plan.causes.empty() ? "\n" + Comment("There is nothing to mend.") : "";
}

}  // namespace

std::string RenderFixShell(const FixPlan& plan, const FixHeading& heading) {
  std::string text =
      "#!/bin/sh\n" +
      HeadingComment(heading,
                     "Copy it to the hosts below and run it there as root: each runs its own lines "
                     "only. The first argument stands for the host's name.") +
      Nothing(plan);
  if (plan.HasSteps()) text += kShellStart + ShortenHost(plan) + kShellRun;
  for (const FixCause& cause : plan.causes) {
    text += "\n" + CauseComment(cause);
    ForEachTargets(cause, [&](const std::vector<const FixStep*>& steps) {
      text += fmt::format("case $host in\n{}\n", Pattern(steps.front()->targets));
      for (const FixStep* step : steps) {
        text += StepComment(cause, *step, 2) + fmt::format("  run {}\n", Quoted(step->command));
      }
      text += "  ;;\nesac\n";
    });
  }
  return plan.HasSteps() ? text + kShellEnd : text;
}

std::string RenderFixClush(const FixPlan& plan, const FixHeading& heading) {
  std::string text =
      "#!/bin/sh\n" +
      HeadingComment(heading, "Run it where ClusterShell reaches the hosts as root.") +
      Nothing(plan);
  for (const FixCause& cause : plan.causes) {
    text += "\n" + CauseComment(cause);
    for (const FixStep& step : cause.steps) {
      text += StepComment(cause, step) + fmt::format("clush -w {} -- {}\n",
                                                     Quoted(FoldHostList(step.targets)),
                                                     Quoted(step.command));
    }
  }
  return text;
}

}  // namespace roceready::report
