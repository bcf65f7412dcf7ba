// SPDX-License-Identifier: Apache-2.0
// Answers about addresses, routes, rules and neighbours.
#include "agent/netlink/rtnl.h"
#include "tests/fuzz/netlink_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready::netlink;
  const auto input = ReadFuzzInput(data, size);
  if (!input) return 0;
  switch (input->decoder % 4) {
    case 0:
      RequireDataLossUnlessOk(DecodeAddress(input->message));
      break;
    case 1:
      RequireDataLossUnlessOk(DecodeRoute(input->message));
      break;
    case 2:
      RequireDataLossUnlessOk(DecodeRule(input->message));
      break;
    default:
      RequireDataLossUnlessOk(DecodeNeighbour(input->message));
  }
  return 0;
}
