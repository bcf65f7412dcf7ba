// SPDX-License-Identifier: Apache-2.0
// A function's configuration space from its sysfs file, or, on a live host where the kernel shows
// us the first 64 bytes only, from the privileged program (agent/privileged).
#pragma once

#include <string>

#include "agent/facts/host_root.h"
#include "agent/facts/pci_config.h"

namespace roceready::facts {

// `folder` holds the file `config` of the function with this address. EACCES where neither may.
absl::StatusOr<PciConfig> ReadPciConfig(const HostRoot& root, const std::string& folder,
                                        const std::string& address);

}  // namespace roceready::facts
