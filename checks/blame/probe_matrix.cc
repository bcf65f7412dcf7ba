// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/probe_matrix.h"

#include <fmt/format.h>

#include <algorithm>

namespace roceready::checks {
namespace {

PortKey KeyOf(const v1::ProbeEnd& end) { return {end.host(), end.rdma_device_id(), end.port()}; }

}  // namespace

size_t ProbeMatrix::Numbers::Of(const std::string& name) {
  const auto [found, is_new] = by_name.emplace(name, names.size());
  if (is_new) names.push_back(name);
  return found->second;
}

std::string ProbeMatrix::AddressOf(size_t place) const {
  return rows_[place] == nullptr ? std::string() : rows_[place]->address;
}

ProbeMatrix::ProbeMatrix(std::span<const ProbedPair> pairs, std::span<const HostJudgementPtr> hosts)
    : pairs_(pairs) {
  for (const HostJudgementPtr& host : hosts) {
    for (const RailPort& row : host->rails) {
      const PortKey key{row.host, row.rdma_device_id, row.port};
      rail_ports_.emplace(std::pair(key, row.net_device_id), &row);
      any_rail_port_.emplace(key, &row);
    }
    names_.insert(host->rdma_devices.begin(), host->rdma_devices.end());
  }
  for (const ProbedPair& pair : pairs) {
    const size_t a = AddPlace(pair.a, pair.label_a), b = AddPlace(pair.b, pair.label_b);
    of_pair_.push_back({.a = a, .b = b, .rail = RailOf(pair)});
  }
}

size_t ProbeMatrix::AddPlace(const v1::ProbeEnd& end, const std::string& label) {
  const PortKey key = KeyOf(end);
  const auto [found, is_new] = by_port_.emplace(key, places_.size());
  if (!is_new) return found->second;
  auto row = rail_ports_.find({key, end.net_device_id()});
  const auto any = any_rail_port_.find(key);
  const RailPort* known = row != rail_ports_.end()      ? row->second
                          : any != any_rail_port_.end() ? any->second
                                                        : nullptr;
  Place place{.host = hosts_.Of(end.host())};
  const std::string adapter =
      known == nullptr || known->adapter_id.empty() ? end.rdma_device_id() : known->adapter_id;
  place.adapter = adapters_.Of(fmt::format("{} {}", end.host(), adapter));
  if (known != nullptr && !known->leaf.empty()) place.leaf = leaves_.Of(known->leaf);
  ports_.push_back(key);
  labels_.push_back(label);
  rows_.push_back(known);
  rdma_devices_.push_back(names_[key]);
  places_.push_back(place);
  return found->second;
}

size_t ProbeMatrix::RailOf(const ProbedPair& pair) {
  for (const v1::ProbeEnd* end : {&pair.a, &pair.b}) {
    const auto row = rail_ports_.find({KeyOf(*end), end->net_device_id()});
    if (row != rail_ports_.end()) return rails_.Of(row->second->rail);
  }
  for (const v1::ProbeEnd* end : {&pair.a, &pair.b}) {
    const auto any = any_rail_port_.find(KeyOf(*end));
    if (any != any_rail_port_.end()) return rails_.Of(any->second->rail);
  }
  return rails_.Of({});
}

std::vector<MatrixWay> ProbeMatrix::WaysOf(Symptom symptom, const FaultsFound& found) const {
  std::vector<MatrixWay> ways;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    for (ShownWay& shown : WaysShown(symptom, pairs_[i])) {
      const auto is_open = [&](const std::string& key) { return found.IsOpen(key); };
      if (!std::ranges::all_of(shown.keys, is_open)) continue;
      const bool forward = shown.path == Path::kAToB;
      Way way{.pair = i,
              .from = forward ? of_pair_[i].a : of_pair_[i].b,
              .to = forward ? of_pair_[i].b : of_pair_[i].a,
              .rail = of_pair_[i].rail,
              .bad = shown.bad,
              .either_way = shown.either_way,
              .not_sent = shown.not_sent,
              .rate = shown.rate,
              .tries = shown.tries};
      ways.push_back({.way = way, .shown = std::move(shown), .pair = &pairs_[i]});
    }
  }
  return ways;
}

std::vector<Place> ProbeMatrix::Places(const FaultsFound& found,
                                       std::span<const std::string_view> explained_by) const {
  std::vector<Place> places = places_;
  for (size_t at = 0; at < places.size(); ++at) {
    places[at].suspected = found.Touch(explained_by, ports_[at]);
  }
  return places;
}

}  // namespace roceready::checks
