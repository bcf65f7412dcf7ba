// SPDX-License-Identifier: Apache-2.0
// Answers about speed, link state, pause and FEC.
#include "agent/netlink/ethtool_nl.h"
#include "tests/fuzz/netlink_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready::netlink;
  const auto input = ReadFuzzInput(data, size);
  if (!input) return 0;
  switch (input->decoder % 4) {
    case 0:
      RequireDataLossUnlessOk(DecodeEthtoolLinkModes(input->message));
      break;
    case 1:
      RequireDataLossUnlessOk(DecodeEthtoolLinkState(input->message));
      break;
    case 2:
      RequireDataLossUnlessOk(DecodeEthtoolPause(input->message));
      break;
    default:
      RequireDataLossUnlessOk(DecodeEthtoolFec(input->message));
  }
  return 0;
}
