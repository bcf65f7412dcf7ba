// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/host_name.h"

namespace roceready {

std::string_view ShortHostName(std::string_view name) { return name.substr(0, name.find('.')); }

bool MayBeSameHost(std::string_view a, std::string_view b) {
  const std::string_view short_a = ShortHostName(a), short_b = ShortHostName(b);
  return a == b || (short_a == short_b && (short_a == a || short_b == b));
}

}  // namespace roceready
