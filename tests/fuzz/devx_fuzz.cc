// SPDX-License-Identifier: Apache-2.0
// Answers of mlx5's firmware about congestion control.
#include <cstdlib>

#include "agent/facts/congestion/devx.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready;
  const auto enabled = facts::DecodeCongestionStatus({data, size});
  // Whatever stands in the rest: a wrong size or a refusal is no switch.
  if (enabled.ok() != (size == facts::kCongestionCommandBytes && data[0] == 0)) std::abort();
  if (!enabled.ok() && enabled.status().message().empty()) std::abort();
  return 0;
}
