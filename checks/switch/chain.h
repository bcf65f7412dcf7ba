// SPDX-License-Identifier: Apache-2.0
// The way of a packet through a switch port, by its configuration:
//
//   DSCP or PCP -> traffic class -> queue
//                                -> priority group -> the priority that PFC is sent for
//                                   that priority  -> the queue that stops when PFC comes in
//
// Where a port names no map, SONiC's orchagent leaves the ASIC's own: queue, priority group and
// priority are then the traffic class's number, except that no such rule is written down for the
// priority group.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checks/switch/switch_view.h"

namespace roceready::checks {

// A packet as the port tells it apart.
struct PacketClass {
  v1::SwitchMapKind map = v1::SWITCH_MAP_KIND_DSCP_TO_TC;
  uint32_t value = 0;
  // "DSCP 26", "PCP 3".
  std::string words;
  // Where the policy says it.
  std::string policy_path;
};

PacketClass DscpClass(uint32_t dscp, std::string_view policy_path = {});

// RoCE data and CNP as the policy marks them; empty where it does not say.
std::optional<PacketClass> RoceClass(const v1::FabricIntent& intent);
std::optional<PacketClass> CnpClass(const v1::FabricIntent& intent);

// An absent value: the way ends before it, and `problem` (the configuration leads nowhere) or
// `unknown` (it does not tell) says why.
struct Chain {
  std::optional<uint32_t> traffic_class;
  std::optional<uint32_t> queue;
  std::optional<uint32_t> priority_group;
  std::optional<uint32_t> priority;
  std::optional<uint32_t> paused_queue;
  // PFC is sent for the priority; absent where that or the priority is not known.
  std::optional<bool> lossless;
  std::string problem;
  std::string unknown;
  // A row for each step.
  std::vector<v1::Evidence> evidence;

  // "TC 1, queue 1, priority group 0", as far as it leads.
  std::string Words() const;
};

Chain ChainOf(const SwitchView& view, const v1::SwitchPort& port, const PacketClass& packet);

// How the port's queue marks packets. `profile` null: it does not, or the chain does not lead to a
// queue; `problem` or `unknown` says why.
struct Marking {
  const v1::WredProfile* profile = nullptr;
  bool marks = false;
  // Of ECN where the profile has such, else those of drops, which then hold for marking too.
  std::optional<uint64_t> min_bytes;
  std::optional<uint64_t> max_bytes;
  std::optional<uint32_t> max_percent;
  std::string problem;
  std::string unknown;
  std::vector<v1::Evidence> evidence;
};

Marking MarkingOf(const SwitchView& view, const v1::SwitchPort& port, const Chain& chain);

// DSCPs that are lossless on a port, in order. Following all 64 is dear: ports that are set alike,
// as most of a switch are, are followed once.
class LosslessDscps {
 public:
  // The view outlives it.
  explicit LosslessDscps(const SwitchView& view) : view_(view) {}
  LosslessDscps(const LosslessDscps&) = delete;

  const std::vector<uint32_t>& At(const v1::SwitchPort& port);

 private:
  const SwitchView& view_;
  // By what the way depends on.
  std::map<std::string, std::vector<uint32_t>> known_;
};

}  // namespace roceready::checks
