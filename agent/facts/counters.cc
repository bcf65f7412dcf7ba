// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/counters.h"

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

}  // namespace roceready::facts
