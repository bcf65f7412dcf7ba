// SPDX-License-Identifier: Apache-2.0
// Answers about speed, link state, pause, FEC and plugged modules.
#include "agent/netlink/ethtool_nl.h"
#include "tests/fuzz/netlink_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready::netlink;
  const auto input = ReadFuzzInput(data, size);
  if (!input) return 0;
  switch (input->decoder % 5) {
    case 0:
      RequireDataLossUnlessOk(DecodeEthtoolLinkModes(input->message));
      break;
    case 1:
      RequireDataLossUnlessOk(DecodeEthtoolLinkState(input->message));
      break;
    case 2:
      RequireDataLossUnlessOk(DecodeEthtoolPause(input->message));
      break;
    case 3:
      RequireDataLossUnlessOk(DecodeEthtoolFec(input->message));
      break;
    default: {
      const auto memory = DecodeEthtoolModule(input->message);
      RequireDataLossUnlessOk(memory);
      if (memory.ok()) Require(memory->bytes.size() == kModuleHalf);
    }
  }
  return 0;
}
