// SPDX-License-Identifier: Apache-2.0
// Configuration spaces of PCI functions.
#include <cstdlib>

#include "agent/facts/pci_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready;
  const auto config =
      facts::DecodePciConfig(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!config.ok()) {
    if (!absl::IsDataLoss(config.status()) && !ErrnoOf(config.status())) std::abort();
    return 0;
  }
  for (const auto& bytes : {config->max_payload_bytes, config->max_read_request_bytes}) {
    if (bytes && (*bytes < 128 || *bytes > 4096)) std::abort();
  }
  // A register of which nothing else was read is invented.
  if (config->acs_control && !config->relaxed_ordering) std::abort();
  return 0;
}
