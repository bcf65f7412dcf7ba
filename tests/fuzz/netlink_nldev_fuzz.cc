// SPDX-License-Identifier: Apache-2.0
// Answers about RDMA devices.
#include "agent/netlink/nldev.h"
#include "tests/fuzz/netlink_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready::netlink;
  const auto input = ReadFuzzInput(data, size);
  if (!input) return 0;
  switch (input->decoder % 9) {
    case 0:
      RequireDataLossUnlessOk(DecodeRdmaDevice(input->message));
      break;
    case 1:
      RequireDataLossUnlessOk(DecodeRdmaPort(input->message));
      break;
    case 2:
      RequireDataLossUnlessOk(DecodeRdmaSystem(input->message));
      break;
    case 3:
      RequireDataLossUnlessOk(DecodeRdmaResources(input->message));
      break;
    case 4:
      RequireDataLossUnlessOk(DecodeRdmaQueuePairs(input->message));
      break;
    case 5:
      RequireDataLossUnlessOk(DecodeRdmaCmIds(input->message));
      break;
    case 6:
      RequireDataLossUnlessOk(DecodeRdmaCounters(input->message));
      break;
    case 7:
      RequireDataLossUnlessOk(DecodeRdmaCounterStates(input->message));
      break;
    default:
      RequireDataLossUnlessOk(DecodeRdmaCharDevice(input->message));
  }
  return 0;
}
