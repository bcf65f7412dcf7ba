// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/counter_window.h"

#include <utility>

namespace roceready::facts {
namespace {

constexpr uint64_t kWrap = uint64_t{1} << 32;

std::string KeyOf(const v1::CounterSample& sample) {
  std::string key = std::to_string(sample.id());
  if (sample.has_priority()) key += "/" + std::to_string(sample.priority());
  return key;
}

// nullopt: it went backwards.
std::optional<uint64_t> Difference(uint64_t before, uint64_t now, bool wraps_at_32_bits) {
  if (now >= before) return now - before;
  // A wrap is told from a reset by size: it leaves the counter in the lower half after the upper.
  if (wraps_at_32_bits && before < kWrap && before >= kWrap / 2 && now < kWrap / 2) {
    return now + kWrap - before;
  }
  return std::nullopt;
}

}  // namespace

std::optional<CounterWindows::Deltas> CounterWindows::Update(const std::string& owner,
                                                             uint32_t incarnation,
                                                             bool wraps_at_32_bits, Look look) {
  const auto found = histories_.find(owner);
  if (found == histories_.end() || found->second.incarnation != incarnation ||
      found->second.newer.at < not_before_) {
    histories_[owner] = History{incarnation, std::nullopt, std::move(look)};
    return std::nullopt;
  }
  History& history = found->second;
  if (history.older && history.older->at < not_before_) history.older.reset();
  const bool old_enough = look.at - history.newer.at >= shortest_;
  const Look& base = old_enough || !history.older ? history.newer : *history.older;
  // The same look again (a late answer that is kept for a while) is no window.
  if (look.at <= base.at) return std::nullopt;
  Deltas deltas;
  deltas.window = look.at - base.at;
  for (const auto& [key, total] : look.values) {
    const auto before = base.values.find(key);
    if (before == base.values.end()) continue;
    const std::optional<uint64_t> delta = Difference(before->second, total, wraps_at_32_bits);
    if (!delta.has_value()) {
      history = History{incarnation, std::nullopt, std::move(look)};
      return std::nullopt;
    }
    deltas.values[key] = *delta;
  }
  if (old_enough) history.older = std::exchange(history.newer, std::move(look));
  return deltas;
}

void CounterWindows::AddDeltas(const PortTotals& totals, Time read_at, v1::PortCounters* counters) {
  *counters = totals.counters;
  if (counters->reading().outcome() != v1::OUTCOME_OK) return;
  Look look{read_at, {}};
  for (const v1::CounterSample& sample : counters->samples()) {
    look.values[KeyOf(sample)] = sample.total();
  }
  const std::optional<Deltas> deltas =
      Update(counters->owner_id(), totals.incarnation, totals.wraps_at_32_bits, std::move(look));
  if (!deltas.has_value()) return;
  const auto nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(deltas->window).count();
  counters->mutable_window()->set_seconds(nanoseconds / 1'000'000'000);
  counters->mutable_window()->set_nanos(static_cast<int32_t>(nanoseconds % 1'000'000'000));
  for (v1::CounterSample& sample : *counters->mutable_samples()) {
    const auto delta = deltas->values.find(KeyOf(sample));
    if (delta != deltas->values.end()) sample.set_delta(delta->second);
  }
}

void CounterWindows::AddDeltas(Time read_at, v1::HostCounters* counters) {
  std::map<std::string, Look> looks;
  for (const v1::HealthReporterErrors& errors : counters->health_errors()) {
    Look& look = looks["health:" + errors.pci_id()];
    look.at = read_at;
    look.values[errors.reporter()] = errors.total();
  }
  for (auto& [owner, look] : looks) {
    const std::optional<Deltas> deltas = Update(owner, 0, false, std::move(look));
    if (!deltas.has_value()) continue;
    for (v1::HealthReporterErrors& errors : *counters->mutable_health_errors()) {
      if ("health:" + errors.pci_id() != owner) continue;
      const auto delta = deltas->values.find(errors.reporter());
      if (delta != deltas->values.end()) errors.set_delta(delta->second);
    }
  }
}

void CounterWindows::KeepOnly(const std::map<std::string, bool>& owners) {
  std::erase_if(histories_, [&owners](const auto& entry) { return !owners.contains(entry.first); });
}

}  // namespace roceready::facts
