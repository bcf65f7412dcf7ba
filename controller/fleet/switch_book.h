// SPDX-License-Identifier: Apache-2.0
// The configurations of switches that were imported, by name, the latest of each. Runs on the event
// loop.
#pragma once

#include <absl/status/status.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proto/process/clock.h"
#include "roceready/v1/switch.pb.h"

namespace roceready {

struct ImportedSwitch {
  std::shared_ptr<const v1::SwitchFacts> facts;
  MonotonicTime imported_at{};
  std::string imported_by;
  // As serialized.
  std::size_t bytes = 0;
};

class SwitchBook {
 public:
  static constexpr std::size_t kMaxSwitches = 10'000;
  // Of all together, as serialized.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

  // All of them, or none and why: a name that cannot be one, a switch twice, a port twice or none,
  // too many.
  absl::Status Put(const std::vector<v1::SwitchFacts>& switches, const std::string& caller,
                   MonotonicTime now);
  // One that an earlier start of this controller has kept.
  void TakeUp(std::shared_ptr<const v1::SwitchFacts> facts, MonotonicTime imported_at,
              std::string imported_by);
  // False: there is none of this name.
  bool Remove(const std::string& name);

  const std::map<std::string, ImportedSwitch>& switches() const { return switches_; }

 private:
  std::map<std::string, ImportedSwitch> switches_;
};

}  // namespace roceready
