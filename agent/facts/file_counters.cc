// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/file_counters.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/facts/counter_names.h"
#include "agent/facts/readings.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

void AddSample(v1::CounterId id, uint64_t total, v1::PortCounters* counters) {
  v1::CounterSample* sample = counters->add_samples();
  sample->set_id(id);
  sample->set_total(total);
}

// The sum of all numbers in a folder of counters (drivers/infiniband/core/cm.c: one file for each
// kind of message).
absl::StatusOr<uint64_t> SumOfFolder(const HostRoot& root, const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, root.List(folder));
  uint64_t sum = 0;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const int64_t count, root.ReadNumber(fmt::format("{}/{}", folder, name)));
    sum += static_cast<uint64_t>(count);
  }
  return sum;
}

// Names that hold no number (a driver's text) are left out.
absl::StatusOr<std::vector<netlink::RdmaCounter>> ReadCounterFolder(const HostRoot& root,
                                                                    const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, root.List(folder));
  std::vector<netlink::RdmaCounter> counters;
  for (const std::string& name : names) {
    if (name == "lifespan") continue;
    const absl::StatusOr<int64_t> value = root.ReadNumber(fmt::format("{}/{}", folder, name));
    if (absl::IsDataLoss(value.status())) continue;
    if (!value.ok()) return value.status();
    counters.push_back({name, static_cast<uint64_t>(*value)});
  }
  return counters;
}

}  // namespace

std::vector<PortTotals> ReadRdmaTotalsFromFiles(const HostRoot& root, const RdmaDeviceEntry& entry,
                                                bool with_raw, const v1::Reading& why) {
  std::vector<PortTotals> ports = RdmaTotalsMissing(why, entry);
  for (size_t i = 0; i < ports.size(); ++i) {
    const auto counters = ReadCounterFolder(
        root,
        fmt::format("/sys/class/infiniband/{}/ports/{}/hw_counters", entry.name, entry.ports[i]));
    if (!counters.ok()) continue;
    v1::PortCounters& result = ports[i].counters;
    *result.mutable_reading() = OkReading(v1::SOURCE_SYSFS);
    result.mutable_reading()->set_detail("from sysfs: " + why.detail());
    ports[i].wraps_at_32_bits = WrapsAt32Bits(entry.driver);
    FillRdmaSamples(entry.driver, *counters, &result);
    if (with_raw) FillRaw(*counters, &result);
  }
  return ports;
}

std::vector<PortTotals> ReadCmTotals(const HostRoot& root, const RdmaDeviceEntry& entry) {
  std::vector<PortTotals> ports;
  for (const uint32_t number : entry.ports) {
    v1::PortCounters& counters = ports.emplace_back().counters;
    counters.set_owner_id(CmOwnerId(entry.id, number));
    const std::string folder = fmt::format("/sys/class/infiniband/{}/ports/{}", entry.name, number);
    const auto retries = SumOfFolder(root, folder + "/cm_tx_retries");
    const auto duplicates = SumOfFolder(root, folder + "/cm_rx_duplicates");
    const auto rejects = root.ReadNumber(folder + "/cm_rx_msgs/rej");
    absl::Status status = retries.status();
    if (status.ok()) status = duplicates.status();
    if (status.ok()) status = rejects.status();
    *counters.mutable_reading() = ReadingOf(status, v1::SOURCE_SYSFS);
    if (counters.reading().outcome() == v1::OUTCOME_ABSENT) {
      counters.mutable_reading()->set_needs("module ib_cm");
    }
    if (!status.ok()) continue;
    AddSample(v1::COUNTER_ID_CM_RETRIES, *retries, &counters);
    AddSample(v1::COUNTER_ID_CM_DUPLICATES, *duplicates, &counters);
    AddSample(v1::COUNTER_ID_CM_REJECTS, static_cast<uint64_t>(*rejects), &counters);
  }
  return ports;
}

std::optional<uint64_t> FindAerTotal(std::string_view text, std::string_view key) {
  for (const std::string_view line : Lines(text)) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() != 2 || words[0] != key) continue;
    const std::optional<int64_t> total = ParseNumber(words[1]);
    if (total.has_value() && *total >= 0) return static_cast<uint64_t>(*total);
  }
  return std::nullopt;
}

PortTotals ReadPciErrorTotals(const HostRoot& root, const std::string& address) {
  struct AerFile {
    std::string_view name, key;
    v1::CounterId id;
  };
  // drivers/pci/pcie/aer.c
  constexpr AerFile kFiles[] = {
      {"aer_dev_correctable", "TOTAL_ERR_COR", v1::COUNTER_ID_PCI_CORRECTABLE_ERRORS},
      {"aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", v1::COUNTER_ID_PCI_NONFATAL_ERRORS},
      {"aer_dev_fatal", "TOTAL_ERR_FATAL", v1::COUNTER_ID_PCI_FATAL_ERRORS},
  };
  PortTotals totals;
  totals.counters.set_owner_id(PciId(address));
  *totals.counters.mutable_reading() = OkReading(v1::SOURCE_SYSFS);
  for (const AerFile& file : kFiles) {
    const absl::StatusOr<std::string> text =
        root.Read(fmt::format("/sys/bus/pci/devices/{}/{}", address, file.name));
    const auto total = text.ok() ? FindAerTotal(*text, file.key) : std::nullopt;
    if (!total.has_value()) {
      *totals.counters.mutable_reading() =
          text.ok() ? MissingReading(v1::OUTCOME_FAILED, v1::SOURCE_SYSFS,
                                     fmt::format("{} has no line {}", file.name, file.key))
                    : ReadingOf(text.status(), v1::SOURCE_SYSFS);
      totals.counters.clear_samples();
      return totals;
    }
    AddSample(file.id, *total, &totals.counters);
  }
  return totals;
}

PortTotals ReadLinkTotals(const HostRoot& root, const NetDeviceEntry& entry) {
  PortTotals totals;
  totals.incarnation = entry.index;
  totals.counters.set_owner_id(LinkOwnerId(entry.id));
  const absl::StatusOr<int64_t> downs =
      root.ReadNumber(fmt::format("/sys/class/net/{}/carrier_down_count", entry.name));
  *totals.counters.mutable_reading() = ReadingOf(downs.status(), v1::SOURCE_SYSFS);
  if (downs.ok()) {
    AddSample(v1::COUNTER_ID_CARRIER_DOWN, static_cast<uint64_t>(*downs), &totals.counters);
  }
  return totals;
}

void AddRdmaBytes(const HostRoot& root, const RdmaDeviceEntry& entry, uint32_t port,
                  v1::PortCounters* totals) {
  if (totals->reading().outcome() != v1::OUTCOME_OK) return;
  const bool has_own = std::ranges::any_of(totals->samples(), [](const v1::CounterSample& sample) {
    return sample.id() == v1::COUNTER_ID_RX_BYTES || sample.id() == v1::COUNTER_ID_TX_BYTES;
  });
  if (has_own) return;
  constexpr uint64_t kBytesInAWord = 4;
  const std::string folder =
      fmt::format("/sys/class/infiniband/{}/ports/{}/counters", entry.name, port);
  const absl::StatusOr<int64_t> received = root.ReadNumber(folder + "/port_rcv_data");
  const absl::StatusOr<int64_t> sent = root.ReadNumber(folder + "/port_xmit_data");
  const auto add = [totals](v1::CounterId id, const absl::StatusOr<int64_t>& words) {
    if (!words.ok() || *words < 0) return;
    AddSample(id, kBytesInAWord * static_cast<uint64_t>(*words), totals);
  };
  add(v1::COUNTER_ID_RX_BYTES, received);
  add(v1::COUNTER_ID_TX_BYTES, sent);
}

void AddRefresh(const HostRoot& root, const RdmaDeviceEntry& entry, uint32_t port,
                v1::PortCounters* totals) {
  if (totals->reading().outcome() != v1::OUTCOME_OK) return;
  const absl::StatusOr<int64_t> milliseconds = root.ReadNumber(
      fmt::format("/sys/class/infiniband/{}/ports/{}/hw_counters/lifespan", entry.name, port));
  if (!milliseconds.ok() || *milliseconds < 0) return;
  totals->mutable_refresh()->set_seconds(*milliseconds / 1000);
  totals->mutable_refresh()->set_nanos(static_cast<int32_t>(*milliseconds % 1000 * 1'000'000));
}

}  // namespace roceready::facts
