// SPDX-License-Identifier: Apache-2.0
// loss.counters-moving: no counter of lost packets moves at a RoCE port.
#include <algorithm>

#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/words.h"
#include "proto/contract/counters.h"
#include "proto/contract/ids.h"

namespace roceready::checks {
namespace {

const std::vector<std::string_view> kExplainedBy = {"port.active",
                                                    "address.duplicate",
                                                    "address.duplicate-mac",
                                                    "mtu.netdev",
                                                    "mtu.rdma-active",
                                                    "mtu.peer-mismatch",
                                                    "pfc.lossless-priority",
                                                    "probe.large-only",
                                                    "probe.write",
                                                    "probe.read",
                                                    "probe.loss",
                                                    "switch.pfc-lossless",
                                                    "switch.roce-class"};

// Fewer than one lost packet in 100,000 is what a busy lossless fabric shows without harm to a job;
// the go-back-N collapse that is to be found starts at one in 10,000.
constexpr double kTolerableLoss = 1e-5;

const v1::PortCounters* FindCounters(const v1::HostCounters* counters, std::string_view owner_id) {
  if (counters == nullptr) return nullptr;
  for (const v1::PortCounters& port : counters->ports()) {
    if (port.owner_id() == owner_id) return &port;
  }
  return nullptr;
}

// Discards count only on a lossless priority: elsewhere TCP expects to lose packets.
bool Counts(const v1::CounterSample& sample, const v1::FabricIntent& intent) {
  switch (sample.id()) {
    case v1::COUNTER_ID_RETRANSMITS:
    case v1::COUNTER_ID_OUT_OF_SEQUENCE:
    case v1::COUNTER_ID_ICRC_ERRORS:
    case v1::COUNTER_ID_RETRIES_EXCEEDED:
      return true;
    case v1::COUNTER_ID_RX_DISCARDS:
    case v1::COUNTER_ID_TX_DISCARDS:
      return sample.has_priority() &&
             std::ranges::find(intent.lossless_priorities(), sample.priority()) !=
                 intent.lossless_priorities().end();
    default:
      // Duplicates alone may come from a timer shorter than the round trip.
      return false;
  }
}

uint64_t PacketsOf(const v1::PortCounters& counters) {
  uint64_t packets = 0;
  for (const v1::CounterSample& sample : counters.samples()) {
    if (sample.id() == v1::COUNTER_ID_RX_PACKETS || sample.id() == v1::COUNTER_ID_TX_PACKETS) {
      packets += sample.delta();
    }
  }
  return packets;
}

std::string TextOf(const v1::CounterSample& sample) {
  const CounterInfo* info = FindCounter(sample.id());
  std::string text =
      fmt::format("{} {}", info == nullptr ? "counter" : info->name, Grouped(sample.delta()));
  if (sample.has_priority()) text += fmt::format(" on priority {}", sample.priority());
  return text;
}

void JudgeCounters(const HostView& host, const v1::Subject& subject,
                   const v1::PortCounters* counters, std::string_view owner_id, Judge& judge) {
  const std::string expected = "no counter of lost packets moves";
  if (counters == nullptr) {
    v1::PortCounters none;
    none.set_owner_id(std::string(owner_id));
    none.mutable_reading()->set_outcome(v1::OUTCOME_NOT_COLLECTED);
    judge.Unread(subject, host.CounterEvidence(none)).Expected(expected);
    return;
  }
  v1::Evidence evidence = host.CounterEvidence(*counters);
  if (!IsOk(counters->reading())) {
    judge.Unread(subject, std::move(evidence)).Expected(expected);
    return;
  }
  bool any_delta = false;
  uint64_t lost = 0;
  std::vector<std::string> moved;
  for (const v1::CounterSample& sample : counters->samples()) {
    if (!Counts(sample, host.intent())) continue;
    any_delta |= sample.has_delta();
    if (sample.delta() == 0) continue;
    lost += sample.delta();
    moved.push_back(TextOf(sample));
    *evidence.add_counters() = sample;
  }
  if (!any_delta) {
    judge
        .Unknown(
            subject,
            counters->has_window()
                ? "no counter of lost packets is read here"
                : "a first look since the agent started or probed: nothing to compare with yet")
        .Expected(expected)
        .RestsOn(std::move(evidence));
    return;
  }
  if (lost == 0 && IsTooShort(*counters)) {
    judge.Unknown(subject, std::string(kTooShort)).Expected(expected).RestsOn(std::move(evidence));
    return;
  }
  const uint64_t packets = PacketsOf(*counters);
  if (lost == 0 ||
      (packets > 0 && static_cast<double>(lost) < kTolerableLoss * static_cast<double>(packets))) {
    return judge.Pass();
  }
  Draft& draft =
      judge.Fail(subject)
          .Expected(expected)
          .Actual(fmt::format("in {} s: {}", counters->window().seconds(), JoinWords(moved, ", ")))
          .RestsOn(std::move(evidence))
          .MendedBy(
              "Find where packets are lost: PFC and DSCP along the path, optics and cables, MTU; "
              "a probe of this pair tells the direction.");
  // What a receiver without buffers refuses is repeated, and what came behind it out of sequence.
  draft.explained_by = kExplainedBy;
  draft.explained_by->push_back("receiver.ready");
}

void JudgeHost(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) {
    const std::string owner = RdmaPortOwnerId(port.device->id(), port.port->number());
    JudgeCounters(host, host.SubjectOfPort(port), FindCounters(host.counters(), owner), owner,
                  judge);
  }
  // Discards by priority are the physical port's; many drivers have none, which is no finding.
  for (const CarrierView& carrier : host.carriers()) {
    const v1::PortCounters* counters = FindCounters(host.counters(), carrier.net_device->id());
    if (counters == nullptr || !IsOk(counters->reading())) continue;
    const bool relevant = std::ranges::any_of(counters->samples(), [&](const auto& sample) {
      return Counts(sample, host.intent()) && sample.has_delta();
    });
    if (relevant) {
      // Without the RDMA port: that has a finding of its own.
      v1::Subject subject = host.SubjectOfCarrier(carrier);
      subject.clear_device_id();
      subject.clear_port();
      JudgeCounters(host, subject, counters, carrier.net_device->id(), judge);
    }
  }
}

}  // namespace

Check LossCountersMoving() {
  return {
      .id = "loss.counters-moving",
      .title = "No counter of lost packets moves",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "RDMA sends everything again from the lost packet on: a loss of 1 % more than halves "
          "the bandwidth, long before anything fails.",
      .how =
          "Deltas of retransmits, sequence errors, checksum errors and given-up requests of "
          "each RoCE port, and of discards on lossless priorities of the port below, must not "
          "exceed one in 100,000 packets of the same span (any, where packets are not "
          "counted). Looks closer to each other than the device refreshes its counters do not show "
          "that nothing moved. Duplicate requests alone do not count: a short timer makes them "
          "too.",
      .fix = "Find where packets are lost; a probe of the pair tells the direction.",
      .sources = {"RDMA netlink STAT_GET", "ethtool statistics by priority"},
      .explained_by = kExplainedBy,
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
