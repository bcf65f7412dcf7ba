// SPDX-License-Identifier: Apache-2.0
// The memory of plugged modules.
#include <cstdlib>

#include "agent/facts/transceiver.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready;
  const auto module = facts::DecodeTransceiver({data, size});
  if (module.ok() != (size == 256)) std::abort();
  if (!module.ok()) return 0;
  if (module->type().empty()) std::abort();
  for (const std::string& text :
       {module->vendor(), module->part_number(), module->revision(), module->serial_number()}) {
    if (text.size() > 16) std::abort();
    for (const char c : text) {
      if (c < 0x20 || c > 0x7e) std::abort();
    }
  }
  return 0;
}
