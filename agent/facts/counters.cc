// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/counters.h"

#include <algorithm>
#include <map>

#include "agent/facts/counter_names.h"
#include "agent/facts/rdma.h"
#include "agent/facts/readings.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

void AddSamples(const std::map<CommonCounter, uint64_t>& totals, v1::PortCounters* result) {
  for (const auto& [counter, total] : totals) {
    v1::CounterSample* sample = result->add_samples();
    sample->set_id(counter.id);
    if (counter.priority) sample->set_priority(*counter.priority);
    sample->set_total(total);
  }
}

}  // namespace

void FillRdmaSamples(std::string_view driver, const std::vector<netlink::RdmaCounter>& counters,
                     v1::PortCounters* result) {
  std::map<CommonCounter, uint64_t> totals;
  for (const netlink::RdmaCounter& counter : counters) {
    if (const auto common = RdmaCounterOf(driver, counter.name)) totals[*common] += counter.value;
  }
  AddSamples(totals, result);
}

void FillEthernetSamples(const std::vector<netlink::EthtoolStatistic>& statistics,
                         v1::PortCounters* result) {
  std::map<CommonCounter, uint64_t> totals;
  for (const netlink::EthtoolStatistic& statistic : statistics) {
    if (const auto common = EthernetCounterOf(statistic.name)) totals[*common] += statistic.value;
  }
  // Beside the parts they are sums of, they would count every frame twice.
  for (const netlink::EthtoolStatistic& statistic : statistics) {
    const std::optional<v1::CounterId> id = SumOverPriorities(statistic.name);
    const auto has_parts = [&id](const auto& total) {
      return total.first.id == id && total.first.priority.has_value();
    };
    if (!id || std::ranges::any_of(totals, has_parts)) continue;
    totals[{*id, std::nullopt}] += statistic.value;
  }
  AddSamples(totals, result);
}

std::vector<PortTotals> ReadRdmaTotals(netlink::Transport& rdma, const RdmaDeviceEntry& entry,
                                       bool with_raw) {
  const absl::StatusOr<uint32_t> index = FindRdmaIndex(rdma, entry.name);
  if (!index.ok()) {
    return RdmaTotalsMissing(ReadingOf(index.status(), v1::SOURCE_RDMA_NETLINK), entry);
  }
  std::vector<PortTotals> ports;
  for (const uint32_t number : entry.ports) {
    PortTotals& port = ports.emplace_back();
    v1::PortCounters& result = port.counters;
    result.set_owner_id(RdmaPortOwnerId(entry.id, number));
    port.wraps_at_32_bits = WrapsAt32Bits(entry.driver);
    port.incarnation = *index;
    const auto answer = netlink::ReadRdmaCounters(rdma, *index, number);
    *result.mutable_reading() = ReadingOf(answer.status(), v1::SOURCE_RDMA_NETLINK);
    if (absl::IsInvalidArgument(answer.status())) {
      result.mutable_reading()->set_outcome(v1::OUTCOME_UNSUPPORTED);
      result.mutable_reading()->set_detail("the driver keeps no counters of this port");
    }
    if (!answer.ok()) continue;
    FillRdmaSamples(entry.driver, answer->counters, &result);
    if (with_raw) FillRaw(answer->counters, &result);
  }
  return ports;
}

std::vector<PortTotals> RdmaTotalsMissing(const v1::Reading& reading,
                                          const RdmaDeviceEntry& entry) {
  std::vector<PortTotals> ports;
  for (const uint32_t number : entry.ports) {
    v1::PortCounters& result = ports.emplace_back().counters;
    result.set_owner_id(RdmaPortOwnerId(entry.id, number));
    *result.mutable_reading() = reading;
  }
  return ports;
}

PortTotals ReadEthernetTotals(netlink::EthtoolControl& control, const NetDeviceEntry& entry,
                              bool with_raw) {
  PortTotals port;
  port.incarnation = entry.index;
  port.counters.set_owner_id(entry.id);
  const auto statistics = netlink::ReadEthtoolStatistics(control, entry.name);
  *port.counters.mutable_reading() = ReadingOf(statistics.status(), v1::SOURCE_ETHTOOL_IOCTL);
  if (!statistics.ok()) return port;
  FillEthernetSamples(*statistics, &port.counters);
  if (with_raw) FillRaw(*statistics, &port.counters);
  return port;
}

void AddStandardPause(const v1::PortCounters& pause, v1::PortCounters* totals) {
  const bool none_of_its_own = totals->reading().outcome() == v1::OUTCOME_UNSUPPORTED;
  if (pause.samples().empty()) return;
  if (totals->reading().outcome() != v1::OUTCOME_OK && !none_of_its_own) return;
  if (none_of_its_own) {
    *totals->mutable_reading() = OkReading(v1::SOURCE_ETHTOOL_NETLINK);
    totals->mutable_reading()->set_detail("pause frames only; the driver has no statistics");
  }
  const std::vector<v1::CounterSample> own(totals->samples().begin(), totals->samples().end());
  for (const v1::CounterSample& sample : pause.samples()) {
    const bool named = std::ranges::find(own, sample.id(), &v1::CounterSample::id) != own.end();
    if (!named) *totals->add_samples() = sample;
  }
}

}  // namespace roceready::facts
