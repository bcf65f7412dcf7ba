// SPDX-License-Identifier: Apache-2.0
// Answers about firmware, health, parameters and the embedded switch.
#include "agent/netlink/devlink.h"
#include "tests/fuzz/netlink_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready::netlink;
  const auto input = ReadFuzzInput(data, size);
  if (!input) return 0;
  switch (input->decoder % 5) {
    case 0:
      RequireDataLossUnlessOk(DecodeDevlinkDevice(input->message));
      break;
    case 1:
      RequireDataLossUnlessOk(DecodeDevlinkInfo(input->message));
      break;
    case 2:
      RequireDataLossUnlessOk(DecodeDevlinkHealth(input->message));
      break;
    case 3:
      RequireDataLossUnlessOk(DecodeDevlinkParam(input->message));
      break;
    default:
      RequireDataLossUnlessOk(DecodeDevlinkEswitch(input->message));
  }
  return 0;
}
