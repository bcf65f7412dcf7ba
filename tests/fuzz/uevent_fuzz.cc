// SPDX-License-Identifier: Apache-2.0
// Any bytes are either the removal of a uverbs node, then with its name, or nothing.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/watch/uverbs_watch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto node = roceready::watch::RemovedUverbsNode(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (node && (!node->starts_with("uverbs") || node->find('/') != std::string::npos)) std::abort();
  return 0;
}
