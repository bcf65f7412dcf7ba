// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/way_quantities.h"

#include <fmt/core.h>

#include <algorithm>

#include "checks/report/layout.h"
#include "checks/words.h"
#include "proto/contract/ids.h"

namespace roceready::cli {
namespace {

using VerbOfWay = const v1::WayVerb& (*)(const v1::ProbeWay&);

const v1::WayVerb& WriteOf(const v1::ProbeWay& way) { return way.write(); }
const v1::WayVerb& ReadOf(const v1::ProbeWay& way) { return way.read(); }

WayFigure Missing(v1::CheckStatus status, const std::string& reason) {
  return {
      .value = std::nullopt, .text = status == v1::CHECK_STATUS_FAIL ? "x" : "?", .reason = reason};
}

WayFigure Known(double value) { return {.value = value, .text = Digits(value), .reason = {}}; }

WayFigure BandwidthOf(const v1::WayVerb& verb) {
  if (!verb.has_bandwidth_bps()) return Missing(verb.status(), verb.bandwidth_unknown());
  return Known(verb.bandwidth_bps() / 1e9);
}

WayFigure LatencyOf(const v1::WayVerb& verb, bool has, std::uint64_t nanoseconds) {
  if (!has) return Missing(verb.status(), verb.latency_unknown());
  return Known(static_cast<double>(nanoseconds) / 1e3);
}

WayFigure MedianLatencyOf(const v1::WayVerb& verb) {
  return LatencyOf(verb, verb.has_latency_p50_ns(), verb.latency_p50_ns());
}

WayFigure HighLatencyOf(const v1::WayVerb& verb) {
  return LatencyOf(verb, verb.has_latency_p99_ns(), verb.latency_p99_ns());
}

// "0.83 %" without the space: cells are words.
std::string PercentWord(double ratio) {
  std::string text = checks::Percent(ratio);
  std::erase(text, ' ');
  return text;
}

WayFigure LossOf(const v1::ProbeWay& way) {
  const v1::WayLoss& loss = way.loss();
  if (!loss.has_lost() || loss.packets() == 0) {
    const bool fails = way.write().status() == v1::CHECK_STATUS_FAIL ||
                       way.read().status() == v1::CHECK_STATUS_FAIL;
    return Missing(fails ? v1::CHECK_STATUS_FAIL : v1::CHECK_STATUS_UNKNOWN, loss.unknown());
  }
  if (loss.lost() == 0) {
    return {.value = 0.0, .text = "<" + PercentWord(loss.below()), .reason = {}};
  }
  const double rate = static_cast<double>(loss.lost()) / static_cast<double>(loss.packets());
  // What may have been lost on the way back instead.
  return {
      .value = rate * 100, .text = PercentWord(rate) + (loss.ambiguous() ? "~" : ""), .reason = {}};
}

WaySeries SeriesOf(std::string_view name, VerbOfWay verb_of,
                   WayFigure (*figure_of)(const v1::WayVerb&)) {
  return {.name = name, .of = [=](const v1::ProbeWay& way) { return figure_of(verb_of(way)); }};
}

std::vector<WaySeries> OfBothVerbs(WayFigure (*figure_of)(const v1::WayVerb&)) {
  return {SeriesOf("WRITE", WriteOf, figure_of), SeriesOf("READ", ReadOf, figure_of)};
}

}  // namespace

std::string WayQuantity::CellOf(const v1::ProbeWay& way) const {
  std::string cell;
  bool all_same = true;
  std::string first;
  for (const WaySeries& one : series) {
    const WayFigure figure = one.of(way);
    if (cell.empty()) first = figure.text;
    all_same &= !figure.value && figure.text == first;
    cell += (cell.empty() ? "" : "/") + figure.text;
  }
  return all_same ? first : cell;
}

std::vector<WayQuantity> QuantitiesOf(Measure measure) {
  switch (measure) {
    case Measure::kBandwidth:
      return {{.title = "bandwidth in Gb/s, WRITE/READ",
               .unit = "Gb/s",
               .less_is_worse = true,
               .series = OfBothVerbs(BandwidthOf)}};
    case Measure::kLatency:
      return {{.title = "latency of half of the messages in us, WRITE/READ",
               .unit = "us",
               .series = OfBothVerbs(MedianLatencyOf)},
              {.title = "latency of 99 % of the messages in us, WRITE/READ",
               .unit = "us",
               .series = OfBothVerbs(HighLatencyOf)}};
    case Measure::kLoss:
      break;
  }
  return {{.title = "packets lost, with 95 % confidence where none was seen to be",
           .unit = "%",
           .series = {{.name = "", .of = LossOf}}}};
}

std::string Digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  if (value >= 0.1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.2g}", value);
}

std::string DeviceWord(const std::string& name, const std::string& device_id) {
  if (!name.empty()) return report::Harmless(name);
  std::string_view word = PciAddressOf(device_id);
  constexpr std::string_view kUsualDomain = "0000:";
  if (word.starts_with(kUsualDomain)) word.remove_prefix(kUsualDomain.size());
  return report::Harmless(word.empty() ? std::string_view(device_id) : word);
}

std::string WayWords(const v1::ProbeWay& way) {
  return fmt::format("{} {} -> {} {}", report::Harmless(way.from().host()),
                     DeviceWord(way.from_device(), way.from().rdma_device_id()),
                     report::Harmless(way.to().host()),
                     DeviceWord(way.to_device(), way.to().rdma_device_id()));
}

}  // namespace roceready::cli
