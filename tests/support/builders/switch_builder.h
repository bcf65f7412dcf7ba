// SPDX-License-Identifier: Apache-2.0
// Configurations of switches for tests. A builder starts from a switch that is right in every
// respect under HealthyPolicy(); a test says what is different.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roceready/v1/facts.pb.h"
#include "roceready/v1/switch.pb.h"

namespace roceready::builders {

class SwitchBuilder {
 public:
  // Ports Ethernet0, Ethernet4, ... with aliases etp1, etp2, ..., of 100 Gb/s.
  explicit SwitchBuilder(std::string_view name, int ports = 1);

  v1::SwitchFacts& facts() { return facts_; }
  const v1::SwitchFacts& facts() const { return facts_; }
  v1::SwitchPort& port(int index = 0) { return *facts_.mutable_ports(index); }
  v1::WredProfile& wred() { return *facts_.mutable_wred_profiles(0); }
  v1::SwitchBufferProfile& headroom() { return *facts_.mutable_buffer_profiles(0); }
  v1::SwitchMap& map(v1::SwitchMapKind kind);

  SwitchBuilder& WithPfc(std::vector<uint32_t> priorities, int port = 0);
  // Replaces where a DSCP leads; no class: it leads nowhere.
  SwitchBuilder& WithDscp(uint32_t dscp, std::optional<uint32_t> traffic_class);
  // As it is plugged into, by the switch's own plan.
  SwitchBuilder& Plan(std::string_view host, std::string_view net_device, int port = 0);
  // What a host's port hears of this switch.
  v1::Lldp HeardAt(int port = 0) const;

 private:
  v1::SwitchFacts facts_;
};

}  // namespace roceready::builders
