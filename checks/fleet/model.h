// SPDX-License-Identifier: Apache-2.0
// Ports that are compared with others of their model: of one whose model was not read nothing is
// said.
#pragma once

#include "checks/check.h"
#include "checks/host_view.h"
#include "checks/reading.h"

namespace roceready::checks {

// Of a port that can be compared with nobody, as its like are those of its model.
inline Observation UnknownModel(const HostView& host, const PortView& port) {
  const v1::Reading reading = host.FunctionReading(port);
  return {.subject = host.SubjectOfPort(port),
          .group = "ports of unknown models",
          .value = {},
          .unknown = IsOk(reading) ? "the answer does not hold the model" : ReasonOf(reading),
          .evidence = host.EvidenceAt("pci_functions", {}, reading)};
}

inline bool IsModelKnown(const PortView& port) {
  return port.pci != nullptr && port.pci->has_vendor() && port.pci->has_device() &&
         !port.device->driver().empty();
}

}  // namespace roceready::checks
