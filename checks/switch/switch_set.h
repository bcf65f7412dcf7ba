// SPDX-License-Identifier: Apache-2.0
// All switches of an audit, and which port of which of them a host's port is plugged into: by what
// the port hears (LLDP), else by what the switch's configuration says about its other ends.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/switch/switch_view.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::checks {

// One end of a cable.
struct SwitchEnd {
  const SwitchView* view = nullptr;
  const v1::SwitchPort* port = nullptr;
  // It was heard; else it is only written down.
  bool heard = false;
};

class SwitchSet {
 public:
  // Everything in the inputs outlives the set.
  explicit SwitchSet(const std::vector<SwitchInput>& switches);
  SwitchSet(const SwitchSet&) = delete;

  const std::deque<SwitchView>& views() const { return views_; }
  bool empty() const { return views_.empty(); }

  // Empty where no switch of the set is at the other end, or more than one could be.
  std::optional<SwitchEnd> EndOf(std::string_view host, const v1::NetDevice& net_device) const;

 private:
  std::optional<SwitchEnd> Heard(const v1::LldpNeighbour& neighbour) const;

  std::deque<SwitchView> views_;
  // By host name (several ASICs may share one) and by base address, both in lower case.
  std::multimap<std::string, const SwitchView*, std::less<>> by_identity_;
  // "host port" in lower case, as the configurations plan it.
  std::multimap<std::string, SwitchEnd, std::less<>> planned_;
};

}  // namespace roceready::checks
