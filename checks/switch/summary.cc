// SPDX-License-Identifier: Apache-2.0
#include "checks/switch/summary.h"

#include <set>

#include "checks/reading.h"
#include "checks/switch/chain.h"

namespace roceready::checks {
namespace {

bool HasQos(const v1::SwitchPort& port) { return IsOk(ReadingOf(port.has_qos(), port.qos())); }

v1::SwitchDscpAnswer AnswerOf(const SwitchView& view, const v1::SwitchPort& port, uint32_t dscp) {
  const Chain chain = ChainOf(view, port, DscpClass(dscp));
  const Marking marking = MarkingOf(view, port, chain);
  v1::SwitchDscpAnswer answer;
  answer.set_dscp(dscp);
  if (chain.traffic_class) answer.set_traffic_class(*chain.traffic_class);
  if (chain.queue) answer.set_queue(*chain.queue);
  if (chain.priority_group) answer.set_priority_group(*chain.priority_group);
  if (chain.priority) answer.set_priority(*chain.priority);
  if (chain.lossless) answer.set_lossless(*chain.lossless);
  if (marking.marks || !marking.problem.empty()) answer.set_marks_ecn(marking.marks);
  if (marking.min_bytes) answer.set_ecn_min_bytes(*marking.min_bytes);
  if (marking.max_bytes) answer.set_ecn_max_bytes(*marking.max_bytes);
  if (marking.max_percent) answer.set_ecn_max_percent(*marking.max_percent);
  return answer;
}

std::set<uint32_t> DscpsOf(const SwitchView& view) {
  std::set<uint32_t> dscps;
  if (view.intent().has_roce_dscp()) dscps.insert(view.intent().roce_dscp());
  if (view.intent().has_cnp_dscp()) dscps.insert(view.intent().cnp_dscp());
  LosslessDscps lossless(view);
  for (const v1::SwitchPort& port : view.facts().ports()) {
    for (const uint32_t dscp : lossless.At(port)) dscps.insert(dscp);
  }
  return dscps;
}

// Counts equal answers; `Rows` are messages with a `ports` field.
template <typename Row>
void Count(google::protobuf::RepeatedPtrField<Row>& rows, Row row) {
  for (Row& known : rows) {
    row.set_ports(known.ports());
    if (row.SerializeAsString() == known.SerializeAsString()) {
      known.set_ports(known.ports() + 1);
      return;
    }
  }
  row.set_ports(1);
  *rows.Add() = std::move(row);
}

}  // namespace

v1::SwitchSummary SummaryOf(const SwitchView& view) {
  v1::SwitchSummary summary;
  summary.set_name(view.name());
  summary.set_hardware(view.facts().identity().hardware());
  summary.set_ports(static_cast<uint32_t>(view.facts().ports_size()));
  summary.set_ports_in_service(static_cast<uint32_t>(view.ports().size()));
  for (const v1::SwitchPort& port : view.facts().ports()) {
    if (!HasQos(port)) continue;
    summary.set_ports_with_qos(summary.ports_with_qos() + 1);
    v1::SwitchPfcGroup group;
    *group.mutable_priorities() = port.qos().pfc().enabled_priorities();
    Count(*summary.mutable_pfc(), std::move(group));
  }
  for (const uint32_t dscp : DscpsOf(view)) {
    for (const v1::SwitchPort& port : view.facts().ports()) {
      if (HasQos(port)) Count(*summary.mutable_dscps(), AnswerOf(view, port, dscp));
    }
  }
  return summary;
}

}  // namespace roceready::checks
