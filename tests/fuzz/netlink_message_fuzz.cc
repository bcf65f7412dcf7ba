// SPDX-License-Identifier: Apache-2.0
// Datagrams into messages, verdicts of the kernel, generic netlink families, attributes.
#include <linux/netlink.h>

#include <numeric>

#include "agent/netlink/attributes.h"
#include "agent/netlink/generic.h"
#include "tests/fuzz/netlink_input.h"

namespace roceready::netlink {
namespace {

void SplitDatagram(const Bytes& datagram) {
  const auto messages = SplitMessages(datagram);
  RequireDataLossUnlessOk(messages);
  if (!messages.ok()) return;
  const size_t total = std::accumulate(messages->begin(), messages->end(), size_t{0},
                                       [](size_t sum, const Message& message) {
                                         return sum + sizeof(nlmsghdr) + message.payload.size();
                                       });
  Require(total <= datagram.size());
}

void ReadAttributes(const Bytes& bytes) {
  absl::Status malformed;
  Attributes attributes(bytes, "input", malformed);
  size_t total = 0;
  for (const Attribute& attribute : attributes.all()) {
    Require((attribute.type & (NLA_F_NESTED | NLA_F_NET_BYTEORDER)) == 0);
    total += sizeof(nlattr) + attribute.payload.size();
    attributes.String(attribute.type);
    attributes.U64(attribute.type);
    attributes.Nest(attribute.type, "nest");
  }
  Require(total <= bytes.size());
}

void ReadVerdict(const Message& message) {
  const auto verdict = DecodeVerdict(message);
  RequireDataLossUnlessOk(verdict);
  if (verdict.ok()) Require(verdict->error >= 0 && verdict->error <= 4095);
}

}  // namespace
}  // namespace roceready::netlink

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready::netlink;
  auto input = ReadFuzzInput(data, size);
  if (!input) return 0;
  switch (input->decoder % 5) {
    case 0:
      SplitDatagram(input->message.payload);
      break;
    case 1:
      ReadAttributes(input->message.payload);
      break;
    case 2:
      // The type's upper half serves as the flags, which say what follows the errno.
      input->message.flags = static_cast<uint16_t>(input->message.type & 0xff00);
      input->message.type = input->message.type & 1 ? NLMSG_DONE : NLMSG_ERROR;
      ReadVerdict(input->message);
      break;
    case 3:
      RequireDataLossUnlessOk(DecodeGenericFamily(input->message));
      break;
    default: {
      const auto group = DecodeGenericGroup(input->message, "config");
      Require(group.ok() || group.status().code() == absl::StatusCode::kNotFound ||
              group.status().code() == absl::StatusCode::kDataLoss);
    }
  }
  return 0;
}
