// SPDX-License-Identifier: Apache-2.0
#include "agent/link/backoff.h"

#include <algorithm>

namespace roceready::link {

Duration Backoff::Next(double random) {
  span_ = std::min(span_ * 2, kLongest);
  const auto jitter = static_cast<double>((span_ - kShortest).count()) * random;
  return kShortest + Duration(static_cast<int64_t>(jitter));
}

}  // namespace roceready::link
