// SPDX-License-Identifier: Apache-2.0
#include "checks/report/fix_plan.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "checks/fold.h"
#include "checks/report/places.h"
#include "checks/shell.h"
#include "checks/words.h"
#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"

namespace roceready::report {
namespace {

using checks::Block;

// Findings that are mended in one way.
struct Way {
  std::string command, text;
  std::optional<bool> survives_reboot;
  std::string why_by_hand;
  std::vector<const v1::Finding*> findings;

  auto Key() const { return std::tuple(command, text, survives_reboot, why_by_hand); }
};

// Letters, digits, "-", "_" and ".", as in host names; beginning with a letter or a digit, so that
// no tool takes it for an option or a pattern.
bool IsTarget(std::string_view name) {
  const auto is_word = [](unsigned char c) { return c < 0x80 && std::isalnum(c) != 0; };
  return !name.empty() && name.size() <= kMaxHostNameBytes && is_word(name.front()) &&
         std::ranges::all_of(name, [&](char c) {
           return is_word(c) || std::string_view("-_.").find(c) != std::string_view::npos;
         });
}

std::string LowerCased(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Other characters can show a reader one command and give the shell another.
bool IsPrintable(std::string_view command) {
  return std::ranges::all_of(command, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

Way WayOf(const v1::Finding& finding) {
  const v1::Fix& fix = finding.fix();
  Way way{.command = fix.command(), .text = fix.text()};
  if (fix.has_survives_reboot()) way.survives_reboot = fix.survives_reboot();
  if (fix.command().empty()) {
    way.why_by_hand = "no command mends this";
  } else if (!IsPrintable(fix.command())) {
    way.command.clear();
    way.why_by_hand = "a name in its command holds characters that are not printable ASCII";
  } else if (!IsTarget(fix.run_on())) {
    way.why_by_hand = "the machine's name is not fit for a list of hosts";
  } else if (checks::HoldsPlaceholder(fix.command())) {
    way.why_by_hand = "the values between < and > are to be chosen";
  }
  return way;
}

// In the order of the report.
std::vector<Way> WaysOf(const Block& block) {
  std::vector<Way> ways;
  std::map<decltype(std::declval<Way>().Key()), size_t> places;
  for (const v1::Finding* root : block.roots) {
    Way way = WayOf(*root);
    const auto [place, is_new] = places.emplace(way.Key(), ways.size());
    if (is_new) ways.push_back(std::move(way));
    ways[place->second].findings.push_back(root);
  }
  return ways;
}

FixStep StepOf(const Way& way) {
  std::set<std::string> targets;
  for (const v1::Finding* finding : way.findings) {
    targets.insert(LowerCased(finding->fix().run_on()));
  }
  FixStep step{.command = way.command,
               .targets = {targets.begin(), targets.end()},
               .survives_reboot = way.survives_reboot,
               .text = way.text,
               .places = PlacesOf(way.findings)};
  std::ranges::sort(step.targets, HostNameLess);
  return step;
}

FixCause CauseOf(const Block& block, size_t number) {
  const v1::Finding& root = *block.roots.front();
  FixCause cause{.number = number,
                 .check_id = root.check_id(),
                 .weight = std::string(WeightOf(block)),
                 .wanted = root.expected(),
                 .seen = root.status() == v1::CHECK_STATUS_FAIL ? root.actual() : root.reason(),
                 .places = PlacesOf(block.roots),
                 .folded = block.folded.size()};
  if (!root.policy_source().empty()) cause.wanted += fmt::format(" ({})", root.policy_source());
  for (const Way& way : WaysOf(block)) {
    if (way.why_by_hand.empty()) {
      cause.steps.push_back(StepOf(way));
    } else {
      cause.by_hand.push_back({.why = way.why_by_hand,
                               .command = way.command,
                               .text = way.text,
                               .places = PlacesOf(way.findings)});
    }
  }
  return cause;
}

}  // namespace

bool FixPlan::HasSteps() const {
  return std::ranges::any_of(causes, [](const FixCause& cause) { return !cause.steps.empty(); });
}

absl::StatusOr<FixPlan> PlanFixes(const v1::AuditReport& report, std::optional<size_t> number) {
  FixPlan plan;
  size_t count = 0;
  for (const Block& block : checks::BlocksOf(report.findings())) {
    if (!block.IsNumbered()) continue;
    ++count;
    if (!number || *number == count) plan.causes.push_back(CauseOf(block, count));
  }
  if (number && plan.causes.empty()) {
    return NotFound("no root cause has the number {}: this report has {}", *number,
                    count == 0 ? "none" : fmt::format("1 to {}", count));
  }
  return plan;
}

}  // namespace roceready::report
