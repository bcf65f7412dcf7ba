// SPDX-License-Identifier: Apache-2.0
// Any bytes are either refused or said by somebody: with a chassis and a port, values within what
// their fields can hold, and the bound on what is remembered kept.
#include <cstdint>
#include <cstdlib>

#include "agent/lldp/neighbours.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready;
  auto frame = lldp::DecodeFrame({data, size});
  if (!frame.ok()) return 0;
  const lldp::Lldpdu& said = frame->said;
  if (said.refused.size() > lldp::kMostRefused) std::abort();
  if (said.pfc.ok() && (said.pfc->capable_classes == 0 || said.pfc->capable_classes > 15)) {
    std::abort();
  }
  if (said.ets.ok() && (said.ets->capable_classes == 0 || said.ets->capable_classes > 8)) {
    std::abort();
  }
  if (said.app.ok()) {
    for (const lldp::AppEntry& entry : *said.app) {
      if (entry.priority > 7 || entry.selector > 7) std::abort();
    }
  }
  for (const lldp::Vlan& vlan : said.vlans) {
    if (vlan.id > 4095) std::abort();
  }
  const bool stays = said.ttl_seconds > 0;
  lldp::Neighbours neighbours;
  const MonotonicTime now(std::chrono::seconds(1));
  neighbours.Heard({data, size}, *std::move(frame), now);
  if (neighbours.All().size() != (stays ? 1u : 0u)) std::abort();
  neighbours.Expire(now + std::chrono::seconds(65536));
  if (!neighbours.All().empty()) std::abort();
  return 0;
}
