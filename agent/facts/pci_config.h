// SPDX-License-Identifier: Apache-2.0
// The PCI configuration space of a function, as sysfs gives it: only what the file's readers cannot
// get from a sysfs attribute (PCI Express capability 0x10, extended capability ACS 0x0d; layouts in
// include/uapi/linux/pci_regs.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/contract/errors.h"

namespace roceready::facts {

struct PciConfig {
  // All absent on a function that is not PCI Express.
  std::optional<uint32_t> max_payload_bytes;
  std::optional<uint32_t> max_read_request_bytes;
  std::optional<bool> relaxed_ordering;
  // Absent without the ACS capability, which most endpoints lack.
  std::optional<uint16_t> acs_control;
  // False where a PCI Express function shows 256 bytes only: the platform gives no access to the
  // extended space, and whether there is ACS is not known.
  bool extended_space = true;
};

// Errors: EACCES when there are only the 64 bytes that everyone may read; ENODEV when all bytes are
// ones, as a function answers that fell off the bus; kDataLoss when a list of capabilities runs in
// a circle or out of the space.
absl::StatusOr<PciConfig> DecodePciConfig(std::string_view bytes);

}  // namespace roceready::facts
