// SPDX-License-Identifier: Apache-2.0
// Any bytes are refused, or are exactly what their meaning would be sent as; and no request that is
// accepted has a path in it.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "agent/privileged/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready::privileged;
  const std::span bytes(data, size);
  const Bytes sent(bytes.begin(), bytes.end());
  const auto request = DecodeRequest(bytes);
  if (request.ok()) {
    if (Encode(*request) != sent) std::abort();
    if (request->pci_address.find('/') != std::string::npos) std::abort();
  }
  const auto reply = DecodeReply(bytes);
  if (reply.ok() && reply->text.size() <= kLongestText && Encode(*reply) != sent) std::abort();
  return 0;
}
