// SPDX-License-Identifier: Apache-2.0
// A cable between a host and a switch, seen from both ends.
#pragma once

#include "checks/host_view.h"
#include "checks/switch/switch_set.h"

namespace roceready::checks {

struct HostLink {
  const HostView& host;
  const CarrierView& carrier;
  const SwitchEnd& end;

  const v1::NetDevice& net_device() const { return *carrier.net_device; }
  const v1::SwitchPort& port() const { return *end.port; }
  const SwitchView& view() const { return *end.view; }
  // The host's port, and the switch's.
  v1::Subject Subject() const;
};

}  // namespace roceready::checks
