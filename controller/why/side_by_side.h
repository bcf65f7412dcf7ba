// SPDX-License-Identifier: Apache-2.0
// What two ends have set, next to each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roceready/v1/facts.pb.h"

namespace roceready::why {

struct Row {
  std::string_view name;      // "MTU"
  std::string first, second;  // "unknown": it could not be read
  bool differs() const { return first != second; }
};

// Of the net devices of these names, and the RDMA ports over them.
std::vector<Row> SideBySide(const v1::HostFacts& first, std::string_view first_device,
                            const v1::HostFacts& second, std::string_view second_device);

}  // namespace roceready::why
