// SPDX-License-Identifier: Apache-2.0
// Metric families as values: each is made anew at a scrape from what the controller counts anyway,
// so there is no registry that a metric could be forgotten in.
//
// Names begin with roceready_, are in base units (seconds, bytes), and counters end in _total. How
// many series a family has is bounded whatever comes from outside: no label names a host, and
// Bounded() holds what others choose (versions, names of checks).
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/process/duration_histogram.h"

namespace roceready::status {

using Families = std::vector<prometheus::MetricFamily>;
using Labels = std::vector<std::pair<std::string, std::string>>;

class Family {
 public:
  // `help` is one sentence: what is counted, and when a person should look.
  static Family Counter(std::string name, std::string help);
  static Family Gauge(std::string name, std::string help);
  static Family Histogram(std::string name, std::string help);

  // Of a counter or a gauge.
  Family& Add(double value, const Labels& labels = {});
  Family& Add(const DurationHistogram& histogram, const Labels& labels = {});
  void AppendTo(Families* families) { families->push_back(std::move(family_)); }

 private:
  Family(std::string name, std::string help, prometheus::MetricType type);

  prometheus::MetricFamily family_;
};

// "write" of PROBE_OPERATION_WRITE and the prefix "PROBE_OPERATION_"; "other" for "", which is what
// protobuf calls a number that it has no word for.
std::string LabelOf(std::string_view enum_name, std::string_view prefix);

// Of values that come from outside the most frequent, and the sum of the rest as "other". Each at
// most 40 characters long, with nothing in it but letters, digits and .+~_-
std::map<std::string, std::uint64_t> Bounded(const std::map<std::string, std::uint64_t>& values,
                                             std::size_t most);

double Seconds(Duration duration);
double Seconds(WallTime moment);  // since 1970

}  // namespace roceready::status
