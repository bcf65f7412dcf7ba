// SPDX-License-Identifier: Apache-2.0
// Parts as a controller receives them: any bytes either are no HostFacts or become one that can be
// cut and put together again without a change.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "proto/contract/fact_parts.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready;
  // Two parts, so that rows are merged: the first byte says where the second begins.
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const size_t split = size == 0 ? 0 : 1 + data[0] % size;
  const FactParts received = {{"a", MakePart(size == 0 ? "" : bytes.substr(1, split - 1))},
                              {"b", MakePart(bytes.substr(std::min(split, size)))}};
  v1::HostFacts facts;
  if (!AssembleFacts(received, &facts).ok()) return 0;
  const auto parts = SplitFacts(facts);
  if (!parts.ok()) abort();  // merged rows have distinct ids
  v1::HostFacts again;
  if (!AssembleFacts(*parts, &again).ok()) abort();
  const auto once_more = SplitFacts(again);
  if (!once_more.ok() || !(*once_more == *parts)) abort();
  return 0;
}
