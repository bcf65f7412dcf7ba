// SPDX-License-Identifier: Apache-2.0
// Buffers that the ethtool ioctl filled.
#include "agent/netlink/ethtool_ioctl.h"
#include "tests/fuzz/netlink_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready::netlink;
  const auto input = ReadFuzzInput(data, size);
  if (!input) return 0;
  const Bytes& answer = input->message.payload;
  switch (input->decoder % 3) {
    case 0:
      RequireDataLossUnlessOk(DecodeEthtoolDriverInfo(answer));
      break;
    case 1: {
      const auto names = DecodeEthtoolStrings(answer);
      RequireDataLossUnlessOk(names);
      if (names.ok()) Require(names->size() * 32 <= size);
      break;
    }
    default: {
      const auto values = DecodeEthtoolValues(answer);
      RequireDataLossUnlessOk(values);
      if (values.ok()) Require(values->size() * 8 <= size);
    }
  }
  return 0;
}
