// SPDX-License-Identifier: Apache-2.0
// Byte 0 picks the kind of event; any bytes after it give a bounded set of concerns or everything.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/watch/kernel_events.h"

namespace {

using roceready::watch::Changes;

Changes Decode(uint8_t kind, const uint8_t* data, size_t size) {
  switch (kind % 4) {
    case 0:
      return roceready::watch::ChangesOfRoute({data, size});
    case 1:
      return roceready::watch::ChangesOfRdma({data, size});
    case 2:
      return roceready::watch::ChangesOfDevlink({data, size});
    default:
      return roceready::watch::ChangesOfUevent(
          std::string_view(reinterpret_cast<const char*>(data), size));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Changes changes = Decode(data[0], data + 1, size - 1);
  if (changes.concerns().size() > Changes::kMostConcerns) std::abort();
  if (changes.everything() && !changes.concerns().empty()) std::abort();
  return 0;
}
