// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/way_summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "checks/report/layout.h"
#include "checks/words.h"

namespace roceready::cli {
namespace {

using checks::Grouped;

// What still counts as like the others: hardware differs little, latency more.
constexpr std::array kBandwidthShares = {0.9, 0.5};
constexpr std::array kLatencyTimes = {1.5, 3.0};

constexpr double kFailed = std::numeric_limits<double>::infinity();

// The upper of the middle two, as checks/probe_bandwidth has it; 0 of none.
double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// One series over all ways.
struct Seen {
  std::vector<double> values;
  double median = 0, worst = 0;
  std::size_t failed = 0, unknown = 0;
};

Seen Look(std::span<const v1::ProbeWay* const> ways, const WaySeries& series, bool less_is_worse) {
  Seen seen;
  for (const v1::ProbeWay* way : ways) {
    const WayFigure figure = series.of(*way);
    if (figure.value) {
      seen.values.push_back(*figure.value);
    } else {
      ++(figure.failed() ? seen.failed : seen.unknown);
    }
  }
  seen.median = MedianOf(seen.values);
  if (seen.values.empty()) return seen;
  seen.worst = less_is_worse ? std::ranges::min(seen.values) : std::ranges::max(seen.values);
  return seen;
}

std::size_t CountWithin(const Seen& seen, const WayQuantity& quantity, double bound) {
  return static_cast<std::size_t>(std::ranges::count_if(seen.values, [&](double value) {
    return quantity.less_is_worse ? value >= bound * seen.median : value <= bound * seen.median;
  }));
}

bool IsLoss(const WayQuantity& quantity) { return quantity.unit == "%"; }

// "median 391 Gb/s, worst 11.0; of 1,016 ways 1,004 within 10 % of it, 8 down to half, 4 below"
std::string Compared(const Seen& seen, const WayQuantity& quantity) {
  const auto& bounds = quantity.less_is_worse ? kBandwidthShares : kLatencyTimes;
  const std::size_t like = CountWithin(seen, quantity, bounds[0]);
  const std::size_t near = CountWithin(seen, quantity, bounds[1]);
  std::string text =
      fmt::format("median {} {}, worst {}", Digits(seen.median), quantity.unit, Digits(seen.worst));
  const bool less = quantity.less_is_worse;
  const auto add = [&](std::size_t count, std::string_view words) {
    if (count > 0) text += fmt::format(", {} {}", Grouped(count), words);
  };
  text += fmt::format("; {} {}", Grouped(like), less ? "within 10 % of it" : "up to 1.5 times it");
  add(near - like, less ? "down to half" : "up to 3 times");
  add(seen.values.size() - near, less ? "below half" : "beyond");
  return text;
}

std::string LossCounted(const Seen& seen, std::span<const v1::ProbeWay* const> ways) {
  const auto lossy = static_cast<std::size_t>(
      std::ranges::count_if(seen.values, [](double value) { return value > 0; }));
  double bound = 0;
  for (const v1::ProbeWay* way : ways) bound = std::max(bound, way->loss().below());
  std::string text = fmt::format("{} lost none", Grouped(seen.values.size() - lossy));
  if (bound > 0) text += fmt::format(" (each < {})", checks::Percent(bound));
  if (lossy > 0) text += fmt::format(", {} lost some", Grouped(lossy));
  return text;
}

std::string LineOf(const Seen& seen, const WayQuantity& quantity,
                   std::span<const v1::ProbeWay* const> ways) {
  std::string text =
      fmt::format("{} {}: ", Grouped(ways.size()), ways.size() == 1 ? "way" : "ways");
  if (!seen.values.empty()) {
    text += IsLoss(quantity) ? LossCounted(seen, ways) : Compared(seen, quantity);
  }
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", text.ends_with(": ") ? "" : ", ", Grouped(count), what);
  };
  add(seen.failed, "failed");
  add(seen.unknown, "not known");
  return text;
}

// How many times worse than the median; 0 where it is like the others.
double Badness(const WayFigure& figure, const Seen& seen, const WayQuantity& quantity) {
  if (figure.failed()) return kFailed;
  if (!figure.value) return 0;
  const double value = *figure.value;
  if (IsLoss(quantity)) return value;
  if (quantity.less_is_worse) {
    return value >= kBandwidthShares[0] * seen.median ? 0 : seen.median / std::max(value, 1e-12);
  }
  return value <= kLatencyTimes[0] * seen.median ? 0 : value / seen.median;
}

}  // namespace

std::string RenderSummary(std::span<const v1::ProbeWay* const> ways, const WayQuantity& quantity,
                          std::size_t width, std::size_t worst) {
  report::Page page(width, /*color=*/false);
  page.Line(quantity.title);
  std::vector<std::pair<double, const v1::ProbeWay*>> bad;
  for (const v1::ProbeWay* way : ways) bad.emplace_back(0, way);
  for (const WaySeries& series : quantity.series) {
    const Seen seen = Look(ways, series, quantity.less_is_worse);
    page.Field(2, series.name.empty() ? "all" : series.name, LineOf(seen, quantity, ways));
    for (auto& [badness, way] : bad) {
      badness = std::max(badness, Badness(series.of(*way), seen, quantity));
    }
  }
  std::erase_if(bad, [](const auto& one) { return one.first == 0; });
  std::ranges::stable_sort(bad, std::greater<>(), [](const auto& one) { return one.first; });
  for (std::size_t i = 0; i < std::min(worst, bad.size()); ++i) {
    page.Field(2, i == 0 ? "worst" : "",
               fmt::format("{}: {}", WayWords(*bad[i].second), quantity.CellOf(*bad[i].second)));
  }
  if (bad.size() > worst) {
    page.Field(2, "", fmt::format("and {} more", Grouped(bad.size() - worst)));
  }
  return page.Take();
}

}  // namespace roceready::cli
