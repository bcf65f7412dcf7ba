// SPDX-License-Identifier: Apache-2.0
// DCB of a net device (RTM_GETDCB). RTNL-bound: a driver that sleeps in a DCB callback holds RTNL
// for the whole host. The kernel drops an attribute silently when the driver fails: each attribute
// has its own reading, and a missing one is ABSENT, never "off".
#pragma once

#include <string>

#include "agent/netlink/dcb.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

v1::Dcb DcbOf(const netlink::DcbState& state);

// All attributes with the same reading: the driver has no DCB, or nothing was answered.
v1::Dcb DcbMissing(const v1::Reading& reading);

v1::Dcb ReadDcbFacts(netlink::Transport& route, const std::string& name);

}  // namespace roceready::facts
