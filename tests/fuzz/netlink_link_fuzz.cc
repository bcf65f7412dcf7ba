// SPDX-License-Identifier: Apache-2.0
// Answers about network devices and their virtual functions.
#include "agent/netlink/rtnl_link.h"
#include "agent/netlink/rtnl_vf.h"
#include "tests/fuzz/netlink_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready::netlink;
  const auto input = ReadFuzzInput(data, size);
  if (!input) return 0;
  if (input->decoder % 2 == 0) {
    RequireDataLossUnlessOk(DecodeLink(input->message));
  } else {
    RequireDataLossUnlessOk(DecodeLinkVfs(input->message));
  }
  return 0;
}
