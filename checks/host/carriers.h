// SPDX-License-Identifier: Apache-2.0
// Walks the physical ports of a host for checks of what lives there (PFC, DSCP maps, speed).
#pragma once

#include "checks/evaluate.h"
#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "proto/contract/ids.h"

namespace roceready::checks {

// Says UNKNOWN for each port whose physical port is not visible, and gives the others to `each` as
// (carrier, subject).
template <typename Each>
void ForEachCarrier(const HostView& host, Judge& judge, Each each) {
  for (const PortView* port : host.PortsWithoutCarrier()) {
    const std::string path = PortPath(port->device->id(), port->port->number(), "net_device_id");
    const v1::Subject subject = host.SubjectOfPort(*port);
    const v1::Reading reading = host.NetDeviceReading(*port);
    Draft& draft = judge.Unread(subject, host.EvidenceAt(path, {}, reading));
    // In another network namespace: the GIDs that cannot be told say it for all.
    if (reading.outcome() == v1::OUTCOME_ABSENT) {
      draft.follows = {FindingKey("gid.rocev2-ipv4", subject)};
    }
  }
  for (const CarrierView& carrier : host.carriers()) each(carrier, host.SubjectOfCarrier(carrier));
}

// Gives the PCI function of one physical port to `each` as (carrier, function, subject). One that
// is not listed is given as a function with nothing but the reading of the list. A port that is on
// no PCI bus (Soft-RoCE on a virtual cable) has nothing to judge.
template <typename Each>
void WithFunctionOf(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                    Judge& judge, Each each) {
  const std::string_view address = PciAddressOf(carrier.net_device->id());
  if (address.empty()) return judge.NotApplicable();
  const v1::PciFunction* function = FindPciFunction(host.facts(), PciId(address));
  if (function != nullptr) return each(carrier, *function, subject);
  v1::PciFunction none;
  const v1::Reading scan = ScanReading(host.facts().has_pci_scan(), host.facts().pci_scan());
  if (!IsOk(scan)) *none.mutable_reading() = scan;
  each(carrier, none, subject);
}

// The same for each physical port of the host.
template <typename Each>
void ForEachFunction(const HostView& host, Judge& judge, Each each) {
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    WithFunctionOf(host, carrier, subject, judge, each);
  });
}

// "pci_functions[pci:0000:3b:00.0].REST" of the function below a physical port.
inline std::string FunctionPath(const CarrierView& carrier, std::string_view rest) {
  return PciPath(PciId(PciAddressOf(carrier.net_device->id())), rest);
}

// No real NIC makes the packets of this port: what hardware can and cannot do does not matter.
inline bool IsSoftwareOnly(const CarrierView& carrier) {
  for (const PortView* port : carrier.ports) {
    if (port->family != NicFamily::kSoft) return false;
  }
  return !carrier.ports.empty();
}

// Counts every physical port as one where the check does not apply.
inline void NotApplicableToAny(const HostView& host, Judge& judge) {
  for (size_t i = 0; i < host.carriers().size(); ++i) judge.NotApplicable();
}

}  // namespace roceready::checks
