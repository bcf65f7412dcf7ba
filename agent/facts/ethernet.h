// SPDX-License-Identifier: Apache-2.0
// Ethernet port of a net device: speed, lanes, FEC, why there is no link (ethtool netlink), global
// pause, driver and firmware text (ethtool ioctl). All RTNL-bound.
#pragma once

#include <string>

#include "agent/netlink/ethtool_ioctl.h"
#include "agent/netlink/ethtool_nl.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

// The first of a FEC count is the whole, what follows is per lane.
void AddFecTotals(const netlink::EthtoolFec& fec, v1::PortCounters* totals);

// `reading` is that of the link modes, `fec_reading` that of FEC; the extended state is absent
// where the driver does not tell it. FEC blocks are added to `link_totals`.
v1::Ethernet ReadEthernet(netlink::Transport& generic, const netlink::GenericFamily& family,
                          const std::string& name, v1::PortCounters* link_totals);
// Frames that the driver counts for this interface are added to `pause_totals` (AddStandardPause).
v1::GlobalPause ReadGlobalPause(netlink::Transport& generic, const netlink::GenericFamily& family,
                                const std::string& name, v1::PortCounters* pause_totals);
v1::NetDriver ReadNetDriver(netlink::EthtoolControl& control, const std::string& name);

// All three with one reading: nothing was answered.
void FillEthernetMissing(const v1::Reading& reading, v1::NetDevice* device);

}  // namespace roceready::facts
