// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/probe_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "checks/report/layout.h"
#include "checks/words.h"
#include "controller/cli/probe_ways.h"
#include "controller/cli/way_matrix.h"
#include "controller/cli/way_summary.h"

namespace roceready::cli {
namespace {

using checks::Counted, checks::Grouped, report::Harmless, report::Page;

// Of one matrix with all its rails: more is not looked through, but compared.
constexpr std::size_t kMatrixLines = 24;
constexpr std::size_t kWorstShown = 5;
constexpr std::size_t kReasonsShown = 6;
constexpr std::size_t kWaysOfReason = 2;
constexpr std::size_t kCommandsShown = 4;

std::string StateWords(const v1::ProbeReport& report) {
  switch (report.state()) {
    case v1::AUDIT_STATE_DONE:
      return {};
    case v1::AUDIT_STATE_CANCELLED:
    case v1::AUDIT_STATE_ABORTED:
      return "; it did not end: " + report.abort_reason();
    default:
      return "; it still runs";
  }
}

// The reasons why something is not known or failed, each with its ways, the first ways first.
void PutReasons(const std::vector<const v1::ProbeWay*>& ways,
                const std::vector<WayQuantity>& quantities, Page& page) {
  using Reason = std::pair<std::string, std::string>;  // mark, text
  std::map<Reason, std::vector<const v1::ProbeWay*>> by_reason;
  std::vector<Reason> order;
  for (const v1::ProbeWay* way : ways) {
    std::set<Reason> of_way;
    for (const WayQuantity& quantity : quantities) {
      for (const WaySeries& series : quantity.series) {
        const WayFigure figure = series.of(*way);
        if (!figure.value) of_way.insert({figure.text, figure.reason});
      }
    }
    for (const Reason& reason : of_way) {
      auto& same = by_reason[reason];
      if (same.empty()) order.push_back(reason);
      same.push_back(way);
    }
  }
  // What most ways share says most.
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](const Reason& reason) { return by_reason[reason].size(); });
  for (std::size_t i = 0; i < std::min(order.size(), kReasonsShown); ++i) {
    const std::vector<const v1::ProbeWay*>& same = by_reason[order[i]];
    std::vector<std::string> words;
    for (std::size_t k = 0; k < std::min(same.size(), kWaysOfReason); ++k) {
      words.push_back(WayWords(*same[k]));
    }
    std::string where = checks::JoinWords(words, ", ");
    if (same.size() > words.size())
      where += fmt::format(" and {} more", same.size() - words.size());
    page.Field(0, order[i].first,
               fmt::format("{}: {}: {}", Counted(same.size(), "way"), order[i].second, where));
  }
  if (order.size() > kReasonsShown) {
    page.Field(0, "",
               fmt::format("and {} (--output json has them all)",
                           Counted(order.size() - kReasonsShown, "other reason")));
  }
}

// One way of each bad pair.
void PutCommands(const v1::ProbeReport& report, Page& page) {
  const std::set<WayEnds> bad = BadWays(report.findings());
  std::set<std::string> pairs;
  std::vector<const v1::ProbeWay*> shown;
  std::vector<const v1::ProbeWay*> without;
  for (const v1::ProbeWay& way : report.ways()) {
    if (!bad.contains(EndsOf(way)) || !pairs.insert(way.probe_id()).second) continue;
    (way.reproduce().empty() ? without : shown).push_back(&way);
  }
  if (shown.empty() && without.empty()) return;
  page.Blank();
  page.Line("to see it by perftest, in a shell on each host, the first one first:");
  for (std::size_t i = 0; i < std::min(shown.size(), kCommandsShown); ++i) {
    for (const v1::WayCommand& command : shown[i]->reproduce()) {
      // As it is typed: never wrapped.
      page.Line(fmt::format("  {}# {}", Harmless(command.run_on()), Harmless(command.command())));
    }
  }
  if (shown.size() > kCommandsShown) {
    page.Line(fmt::format("  and for {} (--output json has them all)",
                          Counted(shown.size() - kCommandsShown, "more pair")));
  }
  if (without.empty()) return;
  std::string where = WayWords(*without.front());
  if (without.size() > 1) where += " and " + Counted(without.size() - 1, "other pair");
  page.Field(2, "?", fmt::format("none for {}: device names or IPv4 GIDs are not known", where));
}

std::vector<WayQuantity> AllQuantities(const std::vector<Measure>& measures) {
  std::vector<WayQuantity> all;
  for (const Measure measure : measures) {
    for (WayQuantity& quantity : QuantitiesOf(measure)) all.push_back(std::move(quantity));
  }
  return all;
}

}  // namespace

std::vector<Measure> AllMeasures() {
  return {Measure::kBandwidth, Measure::kLatency, Measure::kLoss};
}

std::string RenderWays(const std::vector<const v1::ProbeWay*>& ways,
                       const std::vector<Measure>& measures, std::size_t width) {
  const std::vector<WayGroup> groups = GroupsOf(ways);
  std::string text;
  for (const WayQuantity& quantity : AllQuantities(measures)) {
    const auto matrix = RenderMatrix(groups, quantity, width, kMatrixLines);
    text += matrix ? *matrix : RenderSummary(ways, quantity, width, kWorstShown);
  }
  return text;
}

std::string RenderProbes(const v1::ProbeReport& report, const std::vector<Measure>& measures,
                         std::size_t width) {
  Page page(width, /*color=*/false);
  page.Field(0, "probes",
             fmt::format("audit {}, {} of {}{}", report.audit_id(), Grouped(report.pairs_probed()),
                         Counted(report.pairs_planned(), "planned pair"), StateWords(report)));
  std::vector<const v1::ProbeWay*> ways;
  for (const v1::ProbeWay& way : report.ways()) ways.push_back(&way);
  if (ways.empty()) {
    page.Line("nothing was probed");
    return page.Take();
  }
  page.Field(0, "key",
             "payload goes from the row to the column, or from -> to: by WRITEs of the "
             "one, by READs of the other. ? is not known, x failed, . is not planned");
  page.Blank();
  std::string text = page.Take() + RenderWays(ways, measures, width);
  Page after(width, /*color=*/false);
  PutReasons(ways, AllQuantities(measures), after);
  PutCommands(report, after);
  return text + after.Take();
}

}  // namespace roceready::cli
