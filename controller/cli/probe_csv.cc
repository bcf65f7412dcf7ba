// SPDX-License-Identifier: Apache-2.0
// RenderProbesCsv(): a row a way.
#include <fmt/core.h>

#include <algorithm>

#include "checks/report/layout.h"
#include "controller/cli/probe_output.h"

namespace roceready::cli {
namespace {

// A field as RFC 4180 writes it.
std::string Quoted(std::string_view value) {
  const std::string text = report::Harmless(value);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string StatusWord(v1::CheckStatus status) {
  switch (status) {
    case v1::CHECK_STATUS_PASS:
      return "pass";
    case v1::CHECK_STATUS_FAIL:
      return "fail";
    case v1::CHECK_STATUS_UNKNOWN:
      return "unknown";
    default:
      return "";
  }
}

// One line, field by field: names where `way` is null.
class Row {
 public:
  explicit Row(const v1::ProbeWay* way) : way_(way) {}

  template <typename Value>
  void Add(std::string_view name, Value value_of) {
    if (fields_++ > 0) line_ += ',';
    line_ += way_ == nullptr ? std::string(name) : Quoted(value_of(*way_));
  }
  std::string Take() { return std::move(line_) + "\r\n"; }

 private:
  const v1::ProbeWay* way_;
  std::size_t fields_ = 0;
  std::string line_;
};

template <typename Number>
std::string IfKnown(bool known, Number number) {
  return known ? fmt::format("{}", number) : std::string();
}

template <typename VerbOf>
void AddBandwidth(const std::string& verb, VerbOf of, Row& row) {
  row.Add(verb + "_bandwidth_bps", [&](const v1::ProbeWay& way) {
    return of(way).has_bandwidth_bps() ? fmt::format("{:.0f}", of(way).bandwidth_bps()) : "";
  });
  row.Add(verb + "_bandwidth_unknown",
          [&](const v1::ProbeWay& way) { return of(way).bandwidth_unknown(); });
}

template <typename VerbOf>
void AddLatency(const std::string& verb, VerbOf of, Row& row) {
  row.Add(verb + "_latency_p50_ns", [&](const v1::ProbeWay& way) {
    return IfKnown(of(way).has_latency_p50_ns(), of(way).latency_p50_ns());
  });
  row.Add(verb + "_latency_p99_ns", [&](const v1::ProbeWay& way) {
    return IfKnown(of(way).has_latency_p99_ns(), of(way).latency_p99_ns());
  });
  row.Add(verb + "_latency_max_ns", [&](const v1::ProbeWay& way) {
    return IfKnown(of(way).has_latency_max_ns(), of(way).latency_max_ns());
  });
  row.Add(verb + "_latency_unknown",
          [&](const v1::ProbeWay& way) { return of(way).latency_unknown(); });
}

void AddLoss(Row& row) {
  row.Add("loss_status", [](const v1::ProbeWay& way) { return StatusWord(way.loss().status()); });
  row.Add("packets", [](const v1::ProbeWay& way) {
    return IfKnown(way.loss().has_packets(), way.loss().packets());
  });
  row.Add("lost", [](const v1::ProbeWay& way) {
    return IfKnown(way.loss().has_lost(), way.loss().lost());
  });
  row.Add("loss_below", [](const v1::ProbeWay& way) {
    return IfKnown(way.loss().has_below(), way.loss().below());
  });
  row.Add("loss_unknown", [](const v1::ProbeWay& way) { return way.loss().unknown(); });
}

const v1::WayVerb& WriteOf(const v1::ProbeWay& way) { return way.write(); }
const v1::WayVerb& ReadOf(const v1::ProbeWay& way) { return way.read(); }

std::string LineOf(const v1::ProbeWay* way, const std::vector<Measure>& measures) {
  Row row(way);
  row.Add("from_host", [](const v1::ProbeWay& one) { return one.from().host(); });
  row.Add("from_device", [](const v1::ProbeWay& one) {
    return DeviceWord(one.from_device(), one.from().rdma_device_id());
  });
  row.Add("to_host", [](const v1::ProbeWay& one) { return one.to().host(); });
  row.Add("to_device", [](const v1::ProbeWay& one) {
    return DeviceWord(one.to_device(), one.to().rdma_device_id());
  });
  row.Add("probe_id", [](const v1::ProbeWay& one) { return one.probe_id(); });
  row.Add("write_status", [](const v1::ProbeWay& one) { return StatusWord(one.write().status()); });
  row.Add("read_status", [](const v1::ProbeWay& one) { return StatusWord(one.read().status()); });
  const auto wants = [&](Measure measure) {
    return std::ranges::find(measures, measure) != measures.end();
  };
  if (wants(Measure::kBandwidth)) {
    AddBandwidth("write", WriteOf, row);
    AddBandwidth("read", ReadOf, row);
  }
  if (wants(Measure::kLatency)) {
    AddLatency("write", WriteOf, row);
    AddLatency("read", ReadOf, row);
  }
  if (wants(Measure::kLoss)) AddLoss(row);
  return row.Take();
}

}  // namespace

std::string RenderProbesCsv(const v1::ProbeReport& report, const std::vector<Measure>& measures) {
  std::string text = LineOf(nullptr, measures);
  for (const v1::ProbeWay& way : report.ways()) text += LineOf(&way, measures);
  return text;
}

}  // namespace roceready::cli
