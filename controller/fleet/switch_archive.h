// SPDX-License-Identifier: Apache-2.0
// Where the configurations of switches are kept over a restart, as the API sees it. Called on the
// event loop.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace roceready {

class SwitchArchive {
 public:
  virtual ~SwitchArchive() = default;

  // These switches were imported or removed: keeps what the book then has of them, or has no more,
  // now or when the disk can take it again. `tried` runs on the loop after the first try.
  virtual void Keep(const std::vector<std::string>& names, std::function<void()> tried) = 0;
};

}  // namespace roceready
