// SPDX-License-Identifier: Apache-2.0
// RenderTable(): an audit on one screen.
#include <algorithm>
#include <map>
#include <set>

#include "checks/fold.h"
#include "checks/policy/site_rule.h"
#include "checks/report/evidence.h"
#include "checks/report/layout.h"
#include "checks/report/places.h"
#include "checks/report/report.h"
#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::report {
namespace {

using checks::Block, checks::Counted, checks::Grouped, checks::JoinWords;

constexpr size_t kBlockIndent = 4;
constexpr size_t kEffectsShown = 4;
constexpr size_t kIdleShown = 3;

// Each kind of consequence once: what failed before what could not be judged, as only a few fit.
void PutEffects(const Block& block, Page& page) {
  std::vector<const v1::Finding*> folded = block.folded;
  std::ranges::stable_partition(folded, [](const v1::Finding* finding) {
    return finding->status() == v1::CHECK_STATUS_FAIL;
  });
  std::map<std::string, std::vector<const v1::Finding*>> by_check;
  std::vector<std::string> order;
  for (const v1::Finding* finding : folded) {
    std::vector<const v1::Finding*>& same = by_check[finding->check_id()];
    if (same.empty()) order.push_back(finding->check_id());
    same.push_back(finding);
  }
  if (order.empty()) return;
  std::string name = "effect";
  for (size_t i = 0; i < std::min(order.size(), kEffectsShown); ++i) {
    const std::vector<const v1::Finding*>& same = by_check[order[i]];
    const v1::Finding& first = *same.front();
    std::string text = order[i] + ": ";
    text += first.status() == v1::CHECK_STATUS_FAIL ? first.actual() : "unknown, " + first.reason();
    if (same.size() > 1) text += fmt::format(" (and {} more)", same.size() - 1);
    page.Field(kBlockIndent, name, text);
    name.clear();
  }
  if (order.size() > kEffectsShown) {
    page.Field(kBlockIndent, "",
               fmt::format("{} of other checks", Counted(order.size() - kEffectsShown, "kind")));
  }
}

void PutFix(const Block& block, Page& page) {
  const v1::Fix& fix = block.roots.front()->fix();
  if (fix.command().empty()) {
    if (!fix.text().empty()) page.Field(kBlockIndent, "fix", fix.text());
    return;
  }
  std::vector<const v1::Finding*> same;
  for (const v1::Finding* root : block.roots) {
    if (root->fix().command() == fix.command()) same.push_back(root);
  }
  const std::string hosts = HostsOf(same);
  std::string line = fmt::format("{}# {}", hosts.empty() ? fix.run_on() : hosts, fix.command());
  if (fix.has_survives_reboot() && !fix.survives_reboot()) line += "   (until reboot)";
  page.Field(kBlockIndent, "fix", line);
  if (same.size() < block.roots.size()) {
    page.Field(kBlockIndent, "",
               fmt::format("and alike at {}", Counted(block.roots.size() - same.size(), "other")));
  }
  if (!fix.text().empty()) page.Field(kBlockIndent, "", fix.text());
}

std::string_view SymbolOf(const Block& block) {
  if (block.status == v1::CHECK_STATUS_UNKNOWN) return "?";
  if (block.severity == v1::SEVERITY_BLOCKS) return "x";
  return block.severity == v1::SEVERITY_DEGRADES ? "!" : "-";
}

Style StyleOf(const Block& block) {
  return block.Blocks() && block.status == v1::CHECK_STATUS_FAIL ? Style::kRed : Style::kYellow;
}

void PutBlock(const Block& block, size_t number, Page& page) {
  const v1::Finding& root = *block.roots.front();
  const std::string& what = root.status() == v1::CHECK_STATUS_FAIL ? root.actual() : root.reason();
  page.Blank();
  page.Heading(fmt::format("{} {}", SymbolOf(block), number), StyleOf(block), what,
               PlacesOf(block.roots));
  page.Field(kBlockIndent, "check", fmt::format("{}, {}", root.check_id(), WeightOf(block)));
  std::string wanted = root.expected();
  if (!root.policy_source().empty()) wanted += fmt::format("   ({})", root.policy_source());
  if (!wanted.empty()) page.Field(kBlockIndent, "wanted", wanted);
  std::string name = "seen";
  std::set<std::string> seen;
  for (const v1::Evidence& evidence : root.evidence()) {
    if (evidence.fact_path().empty() && evidence.value().empty()) continue;
    const std::string words = EvidenceWords(evidence);
    if (!seen.insert(words).second) continue;
    page.Field(kBlockIndent, name, words);
    name.clear();
  }
  PutEffects(block, page);
  PutFix(block, page);
}

void PutVerdict(const v1::AuditReport& report, const TableOptions& options, Page& page) {
  const v1::Verdict& verdict = report.verdict();
  const v1::Coverage& coverage = verdict.coverage();
  const Style style = verdict.readiness() == v1::READINESS_READY       ? Style::kGreen
                      : verdict.readiness() == v1::READINESS_NOT_READY ? Style::kRed
                                                                       : Style::kYellow;
  const std::string word(WordOf(verdict.readiness()));
  std::string note = verdict.policy_name().empty() ? "" : "policy " + verdict.policy_name();
  if (!options.took.empty()) note += (note.empty() ? "" : ", ") + options.took;
  const std::string text = CountsOf(verdict);
  const std::string margin(word.size() + 3, ' ');
  const std::vector<std::string> lines = Wrap(text, page.width() - margin.size());
  const size_t used = margin.size() + WidthOf(text) + WidthOf(note);
  const bool fits = used + 2 <= page.width();
  std::string lead = Styled(word, style, page.color()) + "   ";
  for (const std::string& line : lines) {
    page.Line(
        lead + line +
        (fits && !note.empty() ? std::string(page.width() - used, ' ') + Harmless(note) : ""));
    lead = margin;
  }
  if (!fits) page.Line(margin + Harmless(note));
  if (verdict.hosts_blocked().empty() || verdict.readiness() == v1::READINESS_READY) return;
  const uint32_t rest =
      coverage.hosts_asked() -
      std::min<uint32_t>(coverage.hosts_asked(),
                         static_cast<uint32_t>(verdict.hosts_blocked_size() +
                                               coverage.hosts_in_maintenance_size()));
  if (rest == 0) return;
  const std::string hosts =
      FoldHostList({verdict.hosts_blocked().begin(), verdict.hosts_blocked().end()});
  for (const std::string& line :
       Wrap(Harmless(fmt::format("ready without {}: {}", hosts, Counted(rest, "host"))),
            page.width() - margin.size())) {
    page.Line(margin + line);
  }
}

void PutCoverage(const v1::AuditReport& report, Page& page) {
  const v1::Coverage& coverage = report.verdict().coverage();
  if (coverage.switches_judged() > 0) {
    std::string switches = fmt::format("{}, {}", SwitchesOf(coverage),
                                       Counted(coverage.switch_ports_judged(), "port"));
    if (coverage.host_ports() > 0) {
      switches += fmt::format(", {} of {} joined to them", coverage.host_ports_joined(),
                              Counted(coverage.host_ports(), "host port"));
    }
    page.Field(0, "switch", switches);
    if (coverage.hosts_asked() == 0) return;
  }
  std::string seen =
      fmt::format("{} of {}, {}", coverage.hosts_judged(), Counted(coverage.hosts_asked(), "host"),
                  Counted(coverage.ports_judged(), "port"));
  if (coverage.has_oldest_fact()) {
    seen += ", oldest fact " + AgeWords(coverage.oldest_fact().seconds());
  }
  page.Field(0, "seen", seen);
  if (!coverage.hosts_missing().empty()) {
    page.Field(0, "silent",
               FoldHostList({coverage.hosts_missing().begin(), coverage.hosts_missing().end()}));
  }
  if (!coverage.hosts_in_maintenance().empty()) {
    page.Field(0, "maint.",
               FoldHostList({coverage.hosts_in_maintenance().begin(),
                             coverage.hosts_in_maintenance().end()}));
  }
  if (coverage.pairs_planned() == 0) return;
  std::string probed = fmt::format(
      "{} of {} ({} possible), verified {} and {}", Grouped(coverage.pairs_probed()),
      Counted(coverage.pairs_planned(), "planned pair"), Grouped(coverage.pairs_possible()),
      Counted(coverage.writes_verified(), "WRITE"), Counted(coverage.reads_verified(), "READ"));
  if (coverage.has_loss_below_percent()) {
    const bool lossy = std::ranges::find(report.findings(), "probe.loss", &v1::Finding::check_id) !=
                       report.findings().end();
    probed += fmt::format(", {}loss < {} (95 %)", lossy ? "elsewhere " : "",
                          checks::Percent(coverage.loss_below_percent() / 100));
  }
  page.Field(0, "probed", probed);
  if (coverage.ways_seen_rocev2() > 0) {
    page.Field(
        0, "wire",
        fmt::format("RoCEv2 (UDP 4791) seen on {} of {} ways", Grouped(coverage.ways_seen_rocev2()),
                    Grouped(2 * coverage.pairs_probed())));
  }
}

// UNKNOWNs that do not decide: by reason, with all checks and hosts that share it.
void PutUnseen(const v1::AuditReport& report, const std::vector<Block>& blocks, bool only_probes,
               Page& page) {
  std::string name = "unseen";
  for (const std::string& what : report.verdict().coverage().not_audited()) {
    const std::string id = what.substr(0, what.find(' '));
    // Below, with its reason.
    if (only_probes || checks::FindCheck(id) != nullptr || IsSiteCheckId(id)) continue;
    page.Field(0, name, what);
    name.clear();
  }
  struct Group {
    std::vector<std::string> checks;
    std::vector<const v1::Finding*> findings;
  };
  std::map<std::string, Group> by_reason;
  std::vector<std::string> order;
  for (const Block& block : blocks) {
    if (block.waived || block.status != v1::CHECK_STATUS_UNKNOWN || block.blocks_unknown) continue;
    for (const v1::Finding* root : block.roots) {
      Group& group = by_reason[root->reason()];
      if (group.findings.empty()) order.push_back(root->reason());
      if (std::ranges::find(group.checks, root->check_id()) == group.checks.end()) {
        group.checks.push_back(root->check_id());
      }
      group.findings.push_back(root);
    }
  }
  for (const std::string& reason : order) {
    const Group& group = by_reason[reason];
    std::string hosts = HostsOf(group.findings);
    if (hosts.empty()) hosts = PlacesOf(group.findings);
    page.Field(0, name, fmt::format("{} on {}: {}", JoinWords(group.checks, ", "), hosts, reason));
    name.clear();
  }
}

void PutWaived(const std::vector<Block>& blocks, Page& page) {
  std::string name = "waived";
  for (const Block& block : blocks) {
    if (!block.waived) continue;
    const v1::Finding& root = *block.roots.front();
    page.Field(
        0, name,
        fmt::format("{} on {} ({})", root.check_id(), PlacesOf(block.roots), root.waived_by()));
    name.clear();
  }
}

// A root cause in settings belongs to them where probes show what it does.
bool HasOfProbes(const Block& block) {
  const auto rests = [](const v1::Finding* finding) { return RestsOnProbes(*finding); };
  return std::ranges::any_of(block.roots, rests) || std::ranges::any_of(block.folded, rests);
}

void PutLeftOut(const std::vector<size_t>& numbers, Page& page) {
  if (numbers.empty()) return;
  page.Field(0, "also",
             fmt::format("{} in settings, that no probe shows: {} {}",
                         Counted(numbers.size(), "root cause"),
                         numbers.size() == 1 ? "number" : "numbers", JoinWords(numbers)));
}

void PutTallies(const v1::AuditReport& report, Page& page) {
  uint64_t evaluated = 0, passed = 0;
  std::vector<std::string> idle;
  for (const v1::CheckTally& tally : report.verdict().tallies()) {
    evaluated += tally.evaluated();
    passed += tally.pass();
    if (tally.evaluated() == 0) idle.push_back(tally.check_id());
  }
  std::string text =
      fmt::format("{} of {} passed", Grouped(passed), Counted(evaluated, "judgement"));
  if (idle.size() > kIdleShown) {
    text += fmt::format("; {} of {} had nothing to judge", idle.size(),
                        Counted(static_cast<uint64_t>(report.verdict().tallies_size()), "check"));
  } else if (!idle.empty()) {
    text += "; not judged: " + JoinWords(idle, ", ");
  }
  page.Field(0, "checks", text);
}

}  // namespace

std::string_view WordOf(v1::Readiness readiness) {
  switch (readiness) {
    case v1::READINESS_READY:
      return "READY";
    case v1::READINESS_NOT_READY:
      return "NOT READY";
    default:
      return "UNDETERMINED";
  }
}

bool RestsOnProbes(const v1::Finding& finding) {
  if (finding.scope() == v1::SCOPE_PROBE) return true;
  return std::ranges::any_of(finding.evidence(), [](const v1::Evidence& evidence) {
    return !evidence.probe_id().empty();
  });
}

std::string RenderTable(const v1::AuditReport& report, const TableOptions& options) {
  constexpr size_t kLeastWidth = 40;
  Page page(std::max(options.width, kLeastWidth), options.color);
  std::vector<Block> blocks = checks::BlocksOf(report.findings());
  PutVerdict(report, options, page);
  size_t number = 0;
  std::vector<size_t> left_out;
  for (const Block& block : blocks) {
    if (!block.IsNumbered()) continue;
    ++number;
    if (!options.only_probes || HasOfProbes(block)) {
      PutBlock(block, number, page);
    } else {
      left_out.push_back(number);
    }
  }
  page.Blank();
  PutCoverage(report, page);
  if (options.only_probes) {
    std::erase_if(blocks, [](const Block& block) { return !HasOfProbes(block); });
    PutLeftOut(left_out, page);
  }
  PutUnseen(report, blocks, options.only_probes, page);
  PutWaived(blocks, page);
  if (!options.only_probes) PutTallies(report, page);
  if (!options.audit_id.empty()) {
    page.Field(0, "audit",
               number == 0 ? options.audit_id
                           : fmt::format("{}; `roceready fix {}/N` prints what mends number N",
                                         options.audit_id, options.audit_id));
  }
  return page.Take();
}

}  // namespace roceready::report
