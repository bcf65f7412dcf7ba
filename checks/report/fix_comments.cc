// SPDX-License-Identifier: Apache-2.0
#include "checks/report/fix_comments.h"

#include <fmt/core.h>

#include "checks/report/layout.h"
#include "checks/words.h"

namespace roceready::report {
namespace {

constexpr size_t kWidth = 80;
constexpr std::string_view kLead = "# ";
constexpr size_t kFieldIndent = 3;

// One "?" for each character beyond ASCII.
std::string InAscii(std::string_view text) {
  std::string ascii;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      ascii += c;
    } else if ((byte & 0xc0) != 0x80) {
      ascii += '?';
    }
  }
  return ascii;
}

std::string Commented(std::string_view text, size_t indent) {
  std::string lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines += fmt::format("{:{}}{}{}\n", "", indent, kLead, InAscii(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace

std::string Comment(std::string_view text, size_t indent) {
  std::string lines;
  for (const std::string& line : Wrap(Harmless(text), kWidth - kLead.size() - indent)) {
    lines += line + '\n';
  }
  return Commented(lines, indent);
}

std::string HeadingComment(const FixHeading& heading, std::string_view how) {
  std::string title = "What mends the root causes of " + heading.of;
  if (!heading.policy.empty()) title += ", policy " + heading.policy;
  return Comment(title + ".") +
         Comment(fmt::format("{} Read it before you run it: nothing has been run yet.", how));
}

std::string CauseComment(const FixCause& cause) {
  Page page(kWidth - kLead.size(), /*color=*/false);
  const std::string number = fmt::format("{}. ", cause.number);
  std::string lead = number;
  for (const std::string& line : Wrap(Harmless(cause.seen), page.width() - number.size())) {
    page.Line(lead + line);
    lead.assign(number.size(), ' ');
  }
  page.Field(kFieldIndent, "check", fmt::format("{}, {}", cause.check_id, cause.weight));
  page.Field(kFieldIndent, "at", cause.places);
  page.Field(kFieldIndent, "wanted", cause.wanted);
  page.Field(kFieldIndent, "seen", cause.seen);
  if (cause.folded > 0) {
    page.Field(kFieldIndent, "effect",
               fmt::format("{} {} from it", checks::Counted(cause.folded, "finding"),
                           cause.folded == 1 ? "follows" : "follow"));
  }
  for (const FixByHand& by_hand : cause.by_hand) {
    page.Field(kFieldIndent, "by hand", fmt::format("{}: {}", by_hand.places, by_hand.why));
    page.Field(kFieldIndent, "", by_hand.command);
    page.Field(kFieldIndent, "", by_hand.text);
  }
  return Commented(page.Take(), 0);
}

std::string_view LastsWords(const FixStep& step) {
  if (!step.survives_reboot) return "not known whether it survives a reboot";
  return *step.survives_reboot ? "persistent" : "until reboot";
}

std::string StepComment(const FixCause& cause, const FixStep& step, size_t indent) {
  std::string text(LastsWords(step));
  if (step.places != cause.places) text += ", at " + step.places;
  std::string comment = Comment(text, indent);
  if (!step.text.empty()) comment += Comment(step.text, indent);
  return comment;
}

void ForEachTargets(const FixCause& cause,
                    const std::function<void(const std::vector<const FixStep*>&)>& each) {
  std::vector<const FixStep*> same;
  for (const FixStep& step : cause.steps) {
    if (!same.empty() && same.front()->targets != step.targets) {
      each(same);
      same.clear();
    }
    same.push_back(&step);
  }
  if (!same.empty()) each(same);
}

}  // namespace roceready::report
