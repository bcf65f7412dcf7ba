// SPDX-License-Identifier: Apache-2.0
// Answers about data center bridging.
#include "agent/netlink/dcb.h"
#include "tests/fuzz/netlink_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready::netlink;
  const auto input = ReadFuzzInput(data, size);
  if (!input) return 0;
  switch (input->decoder % 2) {
    case 0:
      RequireDataLossUnlessOk(DecodeDcbIeee(input->message));
      break;
    default:
      RequireDataLossUnlessOk(DecodeDcbDcbx(input->message));
  }
  return 0;
}
