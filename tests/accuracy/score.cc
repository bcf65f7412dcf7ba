// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/score.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace roceready::accuracy {
namespace {

// "CHECK WHO[ DEVICE]". CHECK may end with '*': where no one check is meant, what the finding is
// about is what counts. WHO is a host, "a>b", a switch, or "fleet" for what is said of all.
struct Label {
  std::string check;
  std::string who;
  std::string device;
};

Label ParseLabel(const std::string& text) {
  Label label;
  std::istringstream words(text);
  words >> label.check >> label.who;
  std::getline(words >> std::ws, label.device);
  return label;
}

std::string WhoOf(const v1::Subject& subject) {
  if (!subject.host().empty()) {
    return subject.peer_host().empty() ? subject.host()
                                       : subject.host() + ">" + subject.peer_host();
  }
  return subject.switch_name().empty() ? "fleet" : subject.switch_name();
}

std::set<std::string> DevicesOf(const v1::Subject& subject, const Audit& audit) {
  std::set<std::string> devices = {subject.device_id(), subject.net_device_id(),
                                   subject.switch_port(), subject.group()};
  for (const std::string& id : {subject.device_id(), subject.net_device_id()}) {
    const auto [first, last] = audit.names.equal_range(subject.host() + " " + id);
    for (auto name = first; name != last; ++name) devices.insert(name->second);
  }
  devices.erase("");
  return devices;
}

bool Meets(const v1::Finding& finding, const Label& label, const Audit& audit) {
  const bool check_is_meant =
      label.check.ends_with('*')
          ? finding.check_id().starts_with(label.check.substr(0, label.check.size() - 1))
          : finding.check_id() == label.check;
  return check_is_meant && WhoOf(finding.subject()) == label.who &&
         (label.device.empty() || DevicesOf(finding.subject(), audit).contains(label.device));
}

std::string TextOf(const v1::Finding& finding) {
  constexpr size_t kEnough = 160;
  std::string text = fmt::format(
      "{} {}: {}", finding.check_id(), finding.subject().label(),
      finding.status() == v1::CHECK_STATUS_FAIL ? finding.actual() : "UNKNOWN " + finding.reason());
  if (text.size() > kEnough) text.replace(kEnough, text.npos, " ...");
  return text;
}

std::string_view WordOf(v1::Readiness readiness) {
  switch (readiness) {
    case v1::READINESS_READY:
      return "ready";
    case v1::READINESS_NOT_READY:
      return "not-ready";
    case v1::READINESS_UNDETERMINED:
      return "undetermined";
    default:
      return "none";
  }
}

double Share(unsigned part, unsigned rest) {
  return part + rest == 0 ? 1 : static_cast<double>(part) / (part + rest);
}

std::string Row(const std::string& name, const Tally& tally) {
  return fmt::format("{:<14}{:>6}{:>8}{:>8}{:>8}{:>11.3f}{:>8.3f}{:>10.3f}\n", name, tally.cases,
                     tally.met, tally.missed, tally.raised, tally.Precision(), tally.Recall(),
                     tally.Verdicts());
}

}  // namespace

Outcome Compare(const Case& one, const Audit& audit) {
  Outcome outcome{.group = one.group,
                  .name = one.name,
                  .mode = one.mode.text,
                  .missed = {},
                  .raised = {},
                  .verdict_wrong = {}};
  std::set<const v1::Finding*> explained;
  const auto count = [&](const std::vector<Text>& labels, v1::CheckStatus status) {
    for (const Text& text : labels) {
      const Label label = ParseLabel(text.text);
      bool met = false;
      for (const v1::Finding& finding : audit.report.findings()) {
        if (finding.status() != status || !finding.caused_by().empty() ||
            !finding.waived_by().empty() || !Meets(finding, label, audit)) {
          continue;
        }
        met = true;
        explained.insert(&finding);
      }
      if (met) {
        ++outcome.met;
      } else {
        outcome.missed.push_back((status == v1::CHECK_STATUS_FAIL ? "" : "UNKNOWN ") + text.text);
      }
    }
  };
  count(one.findings, v1::CHECK_STATUS_FAIL);
  count(one.unknown, v1::CHECK_STATUS_UNKNOWN);
  for (const v1::Finding& finding : audit.report.findings()) {
    const bool counts = finding.status() == v1::CHECK_STATUS_FAIL ||
                        (finding.status() == v1::CHECK_STATUS_UNKNOWN &&
                         finding.on_unknown() == v1::ON_UNKNOWN_BLOCK);
    if (counts && finding.caused_by().empty() && finding.waived_by().empty() &&
        !explained.contains(&finding)) {
      outcome.raised.push_back(TextOf(finding));
    }
  }
  const std::string_view verdict = WordOf(audit.report.verdict().readiness());
  if (verdict != one.verdict.text) {
    outcome.verdict_wrong = fmt::format("{}, expected {}", verdict, one.verdict.text);
  }
  return outcome;
}

Tally& Tally::operator+=(const Outcome& outcome) {
  ++cases;
  met += outcome.met;
  missed += static_cast<unsigned>(outcome.missed.size());
  raised += static_cast<unsigned>(outcome.raised.size());
  verdicts_wrong += outcome.verdict_wrong.empty() ? 0 : 1;
  return *this;
}

double Tally::Precision() const { return Share(met, raised); }
double Tally::Recall() const { return Share(met, missed); }
double Tally::Verdicts() const { return Share(cases - verdicts_wrong, verdicts_wrong); }

std::string Render(const std::vector<Outcome>& outcomes) {
  std::map<std::string, Tally> groups;
  Tally all;
  std::string confusions;
  for (const Outcome& outcome : outcomes) {
    groups[outcome.group] += outcome;
    all += outcome;
    std::string lines;
    for (const std::string& text : outcome.missed) lines += fmt::format("  missed: {}\n", text);
    for (const std::string& text : outcome.raised) {
      lines += fmt::format("  raised without cause: {}\n", text);
    }
    if (!outcome.verdict_wrong.empty()) {
      lines += fmt::format("  verdict: {}\n", outcome.verdict_wrong);
    }
    if (!lines.empty()) {
      confusions += fmt::format("{}/{} ({})\n{}", outcome.group, outcome.name, outcome.mode, lines);
    }
  }
  std::string text = fmt::format("{:<14}{:>6}{:>8}{:>8}{:>8}{:>11}{:>8}{:>10}\n", "group", "cases",
                                 "met", "missed", "raised", "precision", "recall", "verdicts");
  for (const auto& [name, tally] : groups) text += Row(name, tally);
  text += Row("all", all);
  if (!confusions.empty()) text += "\n" + confusions;
  return text;
}

}  // namespace roceready::accuracy
