// SPDX-License-Identifier: Apache-2.0
// The quantities that are printed of ways, as numbers to compare and as text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roceready/v1/probe_report.pb.h"

namespace roceready::cli {

enum class Measure { kBandwidth, kLatency, kLoss };

struct WayFigure {
  // None: not known, or it failed.
  std::optional<double> value;
  // "391", "<0.013%"; where there is no value "?", or "x" where it failed.
  std::string text;
  // Why there is no value.
  std::string reason;

  bool failed() const { return text == "x"; }
};

// One number of each way.
struct WaySeries {
  std::string_view name;  // "WRITE"; empty: it is the only one
  std::function<WayFigure(const v1::ProbeWay&)> of;
};

// What one matrix shows.
struct WayQuantity {
  std::string_view title;  // "bandwidth, Gb/s"
  std::string_view unit;   // "Gb/s"
  // Of two values the worse one.
  bool less_is_worse = false;
  std::vector<WaySeries> series;

  // "391/388"; one word where all series say "?" or "x".
  std::string CellOf(const v1::ProbeWay& way) const;
};

// In the order in which they are printed.
std::vector<WayQuantity> QuantitiesOf(Measure measure);

// "391", "39.1", "3.91", "0.0039".
std::string Digits(double value);

// The device's name of the moment, else what of its identity a person knows: "3b:00.0".
std::string DeviceWord(const std::string& name, const std::string& device_id);

// "gpu1 mlx5_0 -> gpu2 mlx5_0".
std::string WayWords(const v1::ProbeWay& way);

}  // namespace roceready::cli
