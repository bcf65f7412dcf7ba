// SPDX-License-Identifier: Apache-2.0
// DCB of a net device (RTM_GETDCB). RTNL-bound: a driver that sleeps in a DCB callback holds RTNL
// for the whole host. The kernel drops an attribute silently when the driver fails: each attribute
// has its own reading, and a missing one is ABSENT, never "off".
#pragma once

#include <string>
#include <vector>

#include "agent/facts/host_root.h"
#include "agent/netlink/dcb.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

v1::Dcb DcbOf(const netlink::DcbState& state);

// The entries alone, without a reading. One for each selector and priority, with all its protocols;
// sorted, because the kernel's order means nothing and equal tables must be equal bytes.
v1::AppTable AppTableOf(const std::vector<netlink::DcbAppEntry>& table);

// All attributes with the same reading: the driver has no DCB, or nothing was answered.
v1::Dcb DcbMissing(const v1::Reading& reading);

v1::Dcb ReadDcbFacts(netlink::Transport& route, const std::string& name);

// Adds what the vendor driver's sysfs tells and DCB does not: thresholds of the port buffers, and
// the trust mode where the kernel has no attribute for it (dcb_vendor.cc).
void ReadVendorDcb(const HostRoot& root, const std::string& name, v1::Dcb* dcb);

// "buffer size xoff_threshold xon_threshold" rows of the vendor's qos/buffer_size, in bytes. False,
// and nothing added, where the text is no such table.
bool ParseBufferThresholds(std::string_view text, v1::PortBuffer* buffer);

}  // namespace roceready::facts
