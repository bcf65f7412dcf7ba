// SPDX-License-Identifier: Apache-2.0
#include "checks/words.h"

namespace roceready::checks {

std::string Grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string Percent(double ratio) {
  const double percent = ratio * 100;
  if (percent >= 99.5) return "100 %";
  if (percent >= 10) return fmt::format("{:.0f} %", percent);
  // Two significant digits, never as 1e-05.
  double shown = percent;
  int decimals = 1;
  while (shown > 0 && shown < 1 && decimals < 7) {
    shown *= 10;
    ++decimals;
  }
  return fmt::format("{:.{}f} %", percent, decimals);
}

}  // namespace roceready::checks
