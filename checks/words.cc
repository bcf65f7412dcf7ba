// SPDX-License-Identifier: Apache-2.0
#include "checks/words.h"

namespace roceready::checks {

std::string Grouped(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) text += ',';
    text += digits[at];
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
