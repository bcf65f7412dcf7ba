// SPDX-License-Identifier: Apache-2.0
// The kernel's notifications, from the bytes of a datagram to what they concern. Pure. A datagram
// that makes no sense concerns everything: something happened, and it is not known what.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/netlink/message.h"
#include "agent/watch/changes.h"

namespace roceready::watch {

// rtnetlink: links, addresses, neighbours, DCB (RTM_SETDCB or, of CEE, RTM_GETDCB tells of every
// change by netlink, and of those that a driver makes by itself and tells: ice).
Changes ChangesOfRoute(netlink::ByteView datagram);

// NETLINK_RDMA's monitor (kernels that have it: after 6.1, by 6.12).
Changes ChangesOfRdma(netlink::ByteView datagram);

// The multicast group "config" of the generic family devlink.
Changes ChangesOfDevlink(netlink::ByteView datagram);

// A uevent: "ACTION@DEVPATH" and KEY=VALUE fields, each ended by NUL (kernel lib/kobject_uevent.c).
// Nothing for kinds of devices that facts do not speak of.
Changes ChangesOfUevent(std::string_view uevent);

}  // namespace roceready::watch
