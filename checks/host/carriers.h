// SPDX-License-Identifier: Apache-2.0
// Walks the physical ports of a host for checks of what lives there (PFC, DSCP maps, speed).
#pragma once

#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"

namespace roceready::checks {

// Says UNKNOWN for each port whose physical port is not visible, and gives the others to `each` as
// (carrier, subject).
template <typename Each>
void ForEachCarrier(const HostView& host, Judge& judge, Each each) {
  for (const PortView* port : host.PortsWithoutCarrier()) {
    const std::string path = PortPath(port->device->id(), port->port->number(), "net_device_id");
    judge.Unread(host.SubjectOfPort(*port),
                 host.EvidenceAt(path, {}, host.NetDeviceReading(*port)));
  }
  for (const CarrierView& carrier : host.carriers()) each(carrier, host.SubjectOfCarrier(carrier));
}

// Counts every physical port as one where the check does not apply.
inline void NotApplicableToAny(const HostView& host, Judge& judge) {
  for (size_t i = 0; i < host.carriers().size(); ++i) judge.NotApplicable();
}

}  // namespace roceready::checks
