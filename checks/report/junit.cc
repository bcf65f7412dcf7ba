// SPDX-License-Identifier: Apache-2.0
// RenderJunit(): a report as the XML that CI systems read (the Ant task's form, of which there is
// no standard: testsuites, testsuite, testcase, and failure, error or skipped in it).
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <map>

#include "checks/report/evidence.h"
#include "checks/report/layout.h"
#include "checks/report/places.h"
#include "checks/report/report.h"
#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::report {
namespace {

// XML 1.0, section 2.2: no control characters but tab and the ends of lines, no U+FFFE, no U+FFFF.
std::string XmlText(std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string xml;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view here = text.substr(i, 3);
    if (c == '&') {
      xml += "&amp;";
    } else if (c == '<') {
      xml += "&lt;";
    } else if (c == '>') {
      xml += "&gt;";
    } else if (c == '"') {
      xml += "&quot;";
    } else if (here == "\xef\xbf\xbe" || here == "\xef\xbf\xbf") {
      xml += kReplacement;
      i += 2;
    } else if (static_cast<unsigned char>(c) < 0x20 && c != '\n') {
      xml += kReplacement;
    } else {
      xml += c;
    }
  }
  return xml;
}

// A line end in an attribute would be read as a space.
std::string Attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, XmlText(Harmless(value)));
}

struct Counts {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;

  void Add(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
  }
  std::string Attributes() const {
    return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests,
                       failures, errors, skipped);
  }
};

class Suite {
 public:
  void Passed(std::string_view check_id, std::string_view name) {
    ++counts_.tests;
    cases_ += fmt::format("    <testcase{}{}/>\n", Attribute("classname", check_id),
                          Attribute("name", name));
  }
  void Failed(std::string_view check_id, std::string_view name, std::string_view type,
              std::string_view message, std::string_view text) {
    ++counts_.failures;
    Add(check_id, name, "failure", Attribute("type", type), message, text);
  }
  void Erred(std::string_view check_id, std::string_view name, std::string_view type,
             std::string_view message, std::string_view text) {
    ++counts_.errors;
    Add(check_id, name, "error", Attribute("type", type), message, text);
  }
  void Skipped(std::string_view check_id, std::string_view name, std::string_view message,
               std::string_view text) {
    ++counts_.skipped;
    Add(check_id, name, "skipped", "", message, text);
  }

  const Counts& counts() const { return counts_; }
  std::string Text(std::string_view name, const std::string& timestamp) const {
    return fmt::format("  <testsuite{}{}{}>\n{}  </testsuite>\n", Attribute("name", name),
                       counts_.Attributes(), timestamp, cases_);
  }

 private:
  void Add(std::string_view check_id, std::string_view name, std::string_view element,
           const std::string& type, std::string_view message, std::string_view text) {
    ++counts_.tests;
    cases_ += fmt::format("    <testcase{}{}>\n      <{}{}{}", Attribute("classname", check_id),
                          Attribute("name", name), element, type, Attribute("message", message));
    cases_ += text.empty() ? "/>\n" : fmt::format(">{}</{}>\n", XmlText(text), element);
    cases_ += "    </testcase>\n";
  }

  Counts counts_;
  std::string cases_;
};

struct NameLess {
  bool operator()(const std::string& a, const std::string& b) const { return HostNameLess(a, b); }
};

// What a finding is about, in the order they are printed in.
struct Suites {
  std::map<std::string, Suite, NameLess> hosts, pairs, switches;
  Suite fleet, checklist, audit;

  Suite& Of(const v1::Subject& subject) {
    if (!subject.peer_host().empty()) {
      return pairs[fmt::format("{} -> {}", subject.host(), subject.peer_host())];
    }
    if (!subject.host().empty()) return hosts[subject.host()];
    return subject.switch_name().empty() ? fleet : switches[subject.switch_name()];
  }
};

// The finding at length, a line a thing.
std::string DetailsOf(const v1::Finding& finding) {
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("\n{}: {}", name, Harmless(value));
  };
  line("wanted", finding.expected());
  line("policy", finding.policy_source());
  for (const v1::Evidence& evidence : finding.evidence()) line("seen", EvidenceWords(evidence));
  line("follows from", finding.caused_by());
  const v1::Fix& fix = finding.fix();
  line("fix", fix.text());
  if (!fix.command().empty()) line(fix.run_on() + "#", fix.command());
  return text.empty() ? text : text + "\n";
}

void Put(const v1::Finding& finding, Suite& suite) {
  const std::string& id = finding.check_id();
  const std::string& label = finding.subject().label();
  const std::string details = DetailsOf(finding);
  const bool failed = finding.status() == v1::CHECK_STATUS_FAIL;
  const std::string& what = failed ? finding.actual() : finding.reason();
  if (!finding.waived_by().empty()) {
    suite.Skipped(id, label, fmt::format("waived ({}): {}", finding.waived_by(), what), details);
  } else if (failed) {
    suite.Failed(id, label, SeverityWord(finding.severity()), what, details);
  } else if (finding.status() == v1::CHECK_STATUS_UNKNOWN) {
    const bool blocks = finding.on_unknown() == v1::ON_UNKNOWN_BLOCK;
    suite.Erred(id, label, blocks ? "unknown-blocks" : "unknown-noted", what, details);
  } else {
    suite.Skipped(id, label, what.empty() ? "not applicable" : what, details);
  }
}

// Checks without a finding: passes are only counted in a report, so each is one case for all.
void PutPasses(const v1::Verdict& verdict, Suite& checklist) {
  for (const v1::CheckTally& tally : verdict.tallies()) {
    if (tally.evaluated() == 0) {
      checklist.Skipped(tally.check_id(), "not judged", "nothing that it could be judged at", "");
    } else if (tally.pass() == tally.evaluated()) {
      checklist.Passed(tally.check_id(), checks::Counted(tally.pass(), "judgement"));
    }
  }
}

std::string TimestampOf(const v1::Verdict& verdict) {
  if (!verdict.has_evaluated_at()) return "";
  google::protobuf::Timestamp seconds = verdict.evaluated_at();
  seconds.set_nanos(0);
  std::string text = google::protobuf::util::TimeUtil::ToString(seconds);
  // The form has no time zone; it is UTC.
  if (text.ends_with('Z')) text.pop_back();
  return Attribute("timestamp", text);
}

std::string Document(const Suites& suites, const std::string& timestamp) {
  Counts all;
  std::string text;
  const auto put = [&](std::string_view name, const Suite& suite) {
    if (suite.counts().tests == 0) return;
    all.Add(suite.counts());
    text += suite.Text(name, timestamp);
  };
  put("audit", suites.audit);
  for (const auto& [host, suite] : suites.hosts) put("host " + host, suite);
  for (const auto& [pair, suite] : suites.pairs) put("pair " + pair, suite);
  put("fleet", suites.fleet);
  for (const auto& [name, suite] : suites.switches) put("switch " + name, suite);
  put("checklist", suites.checklist);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"roceready\"{}>\n"
      "{}</testsuites>\n",
      all.Attributes(), text);
}

}  // namespace

std::string RenderJunit(const v1::AuditReport& report, std::string_view unfinished) {
  Suites suites;
  if (!unfinished.empty()) {
    suites.audit.Erred("audit", "the audit ends", "unfinished", unfinished, "");
  }
  for (const v1::Finding& finding : report.findings()) Put(finding, suites.Of(finding.subject()));
  PutPasses(report.verdict(), suites.checklist);
  return Document(suites, TimestampOf(report.verdict()));
}

std::string RenderJunitError(std::string_view message) {
  Suites suites;
  suites.audit.Erred("audit", "the audit is made", "error", message, "");
  return Document(suites, "");
}

}  // namespace roceready::report
