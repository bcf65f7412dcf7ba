// SPDX-License-Identifier: Apache-2.0
#include "controller/status/families.h"

#include <algorithm>
#include <limits>

namespace roceready::status {
namespace {

constexpr char kOther[] = "other";
constexpr std::size_t kLongestValue = 40;

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string Plain(const std::string& value) {
  if (value.empty()) return "none";
  std::string plain = value.substr(0, kLongestValue);
  std::ranges::replace_if(
      plain,
      [](char c) {
        return !IsAlphanumeric(c) && std::string_view(".+~_-").find(c) == std::string_view::npos;
      },
      '_');
  return plain;
}

prometheus::ClientMetric Labelled(const Labels& labels) {
  prometheus::ClientMetric metric;
  for (const auto& [name, value] : labels) {
    prometheus::ClientMetric::Label label;
    label.name = name;
    label.value = value;
    metric.label.push_back(std::move(label));
  }
  return metric;
}

}  // namespace

Family::Family(std::string name, std::string help, prometheus::MetricType type) {
  family_.name = std::move(name);
  family_.help = std::move(help);
  family_.type = type;
}

Family Family::Counter(std::string name, std::string help) {
  return {std::move(name), std::move(help), prometheus::MetricType::Counter};
}

Family Family::Gauge(std::string name, std::string help) {
  return {std::move(name), std::move(help), prometheus::MetricType::Gauge};
}

Family Family::Histogram(std::string name, std::string help) {
  return {std::move(name), std::move(help), prometheus::MetricType::Histogram};
}

Family& Family::Add(double value, const Labels& labels) {
  prometheus::ClientMetric metric = Labelled(labels);
  if (family_.type == prometheus::MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  family_.metric.push_back(std::move(metric));
  return *this;
}

Family& Family::Add(const DurationHistogram& histogram, const Labels& labels) {
  prometheus::ClientMetric metric = Labelled(labels);
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
    so_far += histogram.counts()[i];
    prometheus::ClientMetric::Bucket bucket;
    bucket.cumulative_count = so_far;
    bucket.upper_bound = i < histogram.bounds().size() ? Seconds(histogram.bounds()[i])
                                                       : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back(bucket);
  }
  metric.histogram.sample_count = so_far;
  metric.histogram.sample_sum = Seconds(histogram.sum());
  family_.metric.push_back(std::move(metric));
  return *this;
}

std::string LabelOf(std::string_view enum_name, std::string_view prefix) {
  if (enum_name.empty()) return kOther;
  if (enum_name.starts_with(prefix)) enum_name.remove_prefix(prefix.size());
  std::string label(enum_name);
  std::ranges::transform(label, label.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return label;
}

std::map<std::string, std::uint64_t> Bounded(const std::map<std::string, std::uint64_t>& values,
                                             std::size_t most) {
  std::map<std::string, std::uint64_t> plain;
  for (const auto& [value, count] : values) plain[Plain(value)] += count;
  if (plain.size() <= most) return plain;

  std::vector<std::pair<std::string, std::uint64_t>> by_count(plain.begin(), plain.end());
  std::ranges::stable_sort(by_count, std::ranges::greater(),
                           [](const auto& one) { return one.second; });
  std::map<std::string, std::uint64_t> bounded;
  for (std::size_t i = 0; i < by_count.size(); ++i) {
    bounded[i < most ? by_count[i].first : kOther] += by_count[i].second;
  }
  return bounded;
}

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

double Seconds(WallTime moment) { return Seconds(moment.time_since_epoch()); }

}  // namespace roceready::status
