// SPDX-License-Identifier: Apache-2.0
// receiver.ready: receivers have buffers posted for what is sent to them.
#include <algorithm>

#include "checks/check.h"
#include "checks/host/counter_look.h"
#include "checks/rails.h"
#include "checks/words.h"
#include "proto/contract/ids.h"

namespace roceready::checks {
namespace {

// As for losses: less does no harm to a job. Fewer than ten may be a job that has just started.
constexpr double kTolerable = 1e-5;
constexpr uint64_t kFewEvents = 10;
constexpr std::string_view kExpected = "a receive buffer for every message";

constexpr std::string_view kReady = "ready", kLate = "late", kWaiting = "waiting";

// Ports of one rail send to each other.
std::string RailOf(const std::vector<RailPort>& rails, const PortView& port) {
  for (const RailPort& rail : rails) {
    if (rail.rdma_device_id == port.device->id() && rail.port == port.port->number()) {
      return rail.rail;
    }
  }
  return "ports without a rail";
}

bool IsMany(std::optional<uint64_t> events, const CounterLook& look) {
  if (events.value_or(0) < kFewEvents) return false;
  const uint64_t packets = look.DeltaOf(v1::COUNTER_ID_RX_PACKETS).value_or(0) +
                           look.DeltaOf(v1::COUNTER_ID_TX_PACKETS).value_or(0);
  return packets == 0 || static_cast<double>(*events) > kTolerable * static_cast<double>(packets);
}

std::vector<Observation> Observe(const HostView& host) {
  const std::vector<RailPort> rails = RailsOfHost(host.facts());
  std::vector<Observation> observations;
  for (const PortView& port : host.ports()) {
    const CounterLook look(host, RdmaPortOwnerId(port.device->id(), port.port->number()));
    const auto missed = look.DeltaOf(v1::COUNTER_ID_OUT_OF_BUFFER);
    const auto waits = look.DeltaOf(v1::COUNTER_ID_RNR_NAKS);
    const bool is_first = IsOk(look.reading()) && look.WindowSeconds() == 0;
    // A driver that counts neither has nothing to judge.
    if (!missed && !waits && !is_first && (IsOk(look.reading()) || look.IsNotCounted())) continue;
    Observation observation{
        .subject = host.SubjectOfPort(port), .group = RailOf(rails, port), .value = {}};
    observation.evidence = look.Evidence({v1::COUNTER_ID_OUT_OF_BUFFER, v1::COUNTER_ID_RNR_NAKS});
    if (!missed && !waits) {
      observation.unknown =
          is_first ? "a first look: nothing to compare with yet" : ReasonOf(look.reading());
      observations.push_back(std::move(observation));
      continue;
    }
    observation.value = kReady;
    // Its own receivers are late, or those of a peer.
    if (IsMany(waits, look)) observation.value = kWaiting;
    if (IsMany(missed, look)) observation.value = kLate;
    const uint64_t events = observation.value == kLate ? *missed : waits.value_or(0);
    observation.evidence.set_value(
        fmt::format("{} in {:.0f} s", Grouped(events), look.WindowSeconds()));
    observations.push_back(std::move(observation));
  }
  return observations;
}

const std::vector<const Observation*>& Who(const FleetGroup& group, std::string_view value) {
  static const auto* nobody = new std::vector<const Observation*>();
  const auto found = group.by_value.find(value);
  return found == group.by_value.end() ? *nobody : found->second;
}

void JudgeRail(const FleetGroup& group, Judge& judge) {
  for (const Observation* one : group.unknown) {
    judge.Unknown(one->subject, one->unknown)
        .Expected(std::string(kExpected))
        .RestsOn(one->evidence)
        .explained_by = {"device.rdma-present", "port.active", "loss.counters-moving"};
  }
  const auto& late = Who(group, kLate);
  for (size_t i = 0; i < Who(group, kReady).size(); ++i) judge.Pass();
  for (const Observation* one : late) {
    judge.Fail(one->subject)
        .Expected(std::string(kExpected))
        .Actual("messages without a receive buffer: " + one->evidence.value())
        .RestsOn(one->evidence)
        .MendedBy(
            "Look at the receiving program: does it get processor time, does it post enough "
            "receives, is a GPU or a rank behind the others?");
  }
  for (const Observation* one : Who(group, kWaiting)) {
    Draft& draft = judge.Fail(one->subject)
                       .Expected(std::string(kExpected))
                       .Actual("told to wait by receivers: " + one->evidence.value())
                       .RestsOn(one->evidence)
                       .MendedBy("Find the receiver that it sends to: it has no buffers posted.");
    if (!late.empty()) draft.follows = {FindingKey("receiver.ready", late.front()->subject)};
  }
}

}  // namespace

Check ReceiverReady() {
  return {
      .id = "receiver.ready",
      .title = "Receivers have buffers posted",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A message for which no receive is posted is refused, and the sender waits and sends all "
          "of it again: bandwidth falls, and after the job's RNR retries the connection dies.",
      .how =
          "In the span of the counters no port may have ten or more messages without a receive "
          "buffer (out of buffer), nor be told to wait as often by its peers (RNR NAK), if that is "
          "more than one in 100,000 packets or packets are not counted. A sender that waits, on a "
          "rail on which a receiver is late, is put under that receiver. Ports whose driver counts "
          "neither are not judged.",
      .fix = "Look at the receiving program: processor time, number of receives, a slow rank.",
      .sources = {"RDMA netlink STAT_GET: out_of_buffer, rnr_nak_retry_err and their likes"},
      .explained_by = {"device.rdma-present", "port.active"},
      .observe = Observe,
      .fleet = JudgeRail,
  };
}

}  // namespace roceready::checks
