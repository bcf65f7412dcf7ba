// SPDX-License-Identifier: Apache-2.0
// A packet socket that hears LLDP on one net device and nothing else.
#pragma once

#include <cstdint>

#include "proto/contract/errors.h"
#include "proto/process/descriptor.h"

namespace roceready::lldp {

// Its filter lets through what comes in with LLDP's EtherType; it is there before the first frame
// and locked, so that whoever gets the socket cannot widen it. The device is asked to hear the
// three group addresses of LLDP. Needs CAP_NET_RAW (EPERM without; EAFNOSUPPORT where the service's
// confinement has no packet sockets). May wait for RTNL, as closing it may.
absl::StatusOr<Descriptor> OpenPacketSocket(uint32_t net_device_index);

}  // namespace roceready::lldp
