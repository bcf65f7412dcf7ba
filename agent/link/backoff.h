// SPDX-License-Identifier: Apache-2.0
// How long to wait before the next dial: full jitter, so that the agents of a cluster whose
// controller restarted do not all come at the same moment, over a span that doubles with each
// failure.
#pragma once

#include "proto/process/clock.h"

namespace roceready::link {

class Backoff {
 public:
  static constexpr Duration kShortest = std::chrono::seconds(1);
  static constexpr Duration kLongest = std::chrono::seconds(60);

  // `random` in [0, 1). The first wait is between 1 and 2 seconds, later ones between 1 second and
  // twice the span before, up to 60.
  Duration Next(double random);
  void Reset() { span_ = kShortest; }

 private:
  Duration span_ = kShortest;
};

}  // namespace roceready::link
