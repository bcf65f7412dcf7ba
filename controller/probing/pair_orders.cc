// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/pair_orders.h"

#include <algorithm>
#include <utility>

#include "controller/probing/probe_spec.h"
#include "proto/contract/errors.h"

namespace roceready {
namespace {

PairAdapter AdapterOf(const checks::RailPort& port) {
  return {port.host, fmt::format("{}/{}", port.host, port.adapter_id)};
}

// They stand in a row.
std::uint32_t SendersWith(std::size_t place, const std::vector<PortPair>& pairs) {
  std::size_t begin = place, end = place;
  while (begin > 0 && pairs[begin - 1].incast == pairs[place].incast) --begin;
  while (end < pairs.size() && pairs[end].incast == pairs[place].incast) ++end;
  return static_cast<std::uint32_t>(end - begin);
}

}  // namespace

std::string IncastGroupOf(const std::string& audit_id, const PortPair& pair) {
  return pair.incast == 0 ? "" : fmt::format("{}-incast-{}", audit_id, pair.incast);
}

WaitingPair WaitingPairOf(const checks::RailPort& a, const checks::RailPort& b,
                          std::uint32_t incast) {
  return {AdapterOf(a), AdapterOf(b), incast};
}

std::uint32_t PairOrders::RoomOf(const std::string& host) const {
  auto room = datagram_room.find(host);
  return room == datagram_room.end() ? 0 : room->second;
}

v1::ProbeSpec PairOrders::operator()(std::size_t place) const {
  const PortPair& pair = pairs[place];
  const checks::RailPort &a = (*ports)[pair.a], &b = (*ports)[pair.b];
  const EffectivePolicy& policy = *policy_of(a.host);
  const std::string probe_id = fmt::format("{}-{}", audit_id, first_number + place);
  const v1::ProbeEnd end_a = MakeProbeEnd(a, policy), end_b = MakeProbeEnd(b, policy);
  if (pair.incast == 0)
    return MakeProbeSpec(probe_id, end_a, end_b, policy, std::min(RoomOf(a.host), RoomOf(b.host)));
  v1::Incast incast;
  incast.set_group(IncastGroupOf(audit_id, pair));
  incast.set_senders(SendersWith(place, pairs));
  return MakeIncastSpec(probe_id, end_a, end_b, policy, std::move(incast));
}

}  // namespace roceready
