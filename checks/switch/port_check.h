// SPDX-License-Identifier: Apache-2.0
// What the checks of switch ports share.
#pragma once

#include "checks/reading.h"
#include "checks/switch/chain.h"
#include "checks/switch/switch_view.h"
#include "checks/words.h"

namespace roceready::checks {

// The evidence of a chain or marking, row by row.
inline void RestOnAll(Draft& draft, const std::vector<v1::Evidence>& evidence) {
  for (const v1::Evidence& one : evidence) draft.RestsOn(one);
}

inline bool Contains(const google::protobuf::RepeatedField<uint32_t>& numbers, uint32_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

// PFC of a port as the configuration has it: a port without a QoS row, or a row that does not name
// priorities, has none, if the configuration is whole.
struct PortPfc {
  bool known = false;
  std::vector<uint32_t> priorities;
  v1::Evidence evidence;
  // Why the port has no PFC, or why it is not known.
  std::string reason;
};
PortPfc PfcOf(const SwitchView& view, const v1::SwitchPort& port);

}  // namespace roceready::checks
