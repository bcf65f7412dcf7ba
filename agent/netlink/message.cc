// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/message.h"

#include <linux/netlink.h>

#include <algorithm>
#include <cstring>

#include "agent/netlink/attributes.h"

namespace roceready::netlink {
namespace {

constexpr size_t kHeaderBytes = sizeof(nlmsghdr);
static_assert(kHeaderBytes == 16);

size_t Aligned(size_t size) { return (size + 3) & ~size_t{3}; }

}  // namespace

absl::StatusOr<std::vector<Message>> SplitMessages(ByteView datagram) {
  std::vector<Message> messages;
  while (!datagram.empty()) {
    if (datagram.size() < kHeaderBytes) {
      return DataLoss("netlink datagram ends in {} bytes, too few for a message header",
                      datagram.size());
    }
    nlmsghdr header;
    std::memcpy(&header, datagram.data(), kHeaderBytes);
    if (header.nlmsg_len < kHeaderBytes || header.nlmsg_len > datagram.size()) {
      return DataLoss("netlink message says {} bytes where {} are left", header.nlmsg_len,
                      datagram.size());
    }
    const ByteView payload = datagram.subspan(kHeaderBytes, header.nlmsg_len - kHeaderBytes);
    messages.push_back({.type = header.nlmsg_type,
                        .flags = header.nlmsg_flags,
                        .sequence = header.nlmsg_seq,
                        .port = header.nlmsg_pid,
                        .payload = Bytes(payload.begin(), payload.end())});
    datagram = datagram.subspan(std::min(Aligned(header.nlmsg_len), datagram.size()));
  }
  return messages;
}

absl::StatusOr<KernelVerdict> DecodeVerdict(const Message& message) {
  KernelVerdict verdict;
  ByteView rest = message.payload;
  int32_t error = 0;
  // The end of a dump carries no number on old kernels.
  if (rest.empty() && message.type == NLMSG_DONE) return verdict;
  if (rest.size() < sizeof(error)) {
    return DataLoss("netlink verdict of {} bytes holds no errno", rest.size());
  }
  std::memcpy(&error, rest.data(), sizeof(error));
  if (error > 0 || error < -4095) return DataLoss("netlink verdict {} is no errno", error);
  verdict.error = -error;
  rest = rest.subspan(sizeof(error));
  if (message.type == NLMSG_ERROR) {
    // The header of the refused request, and all of the request unless NLM_F_CAPPED.
    if (rest.size() < kHeaderBytes) return DataLoss("netlink error without the request's header");
    nlmsghdr refused;
    std::memcpy(&refused, rest.data(), kHeaderBytes);
    size_t echoed = kHeaderBytes;
    if ((message.flags & NLM_F_CAPPED) == 0 && verdict.error != 0) {
      if (refused.nlmsg_len < kHeaderBytes || refused.nlmsg_len > rest.size()) {
        return DataLoss("netlink error echoes {} bytes of a request where {} are left",
                        refused.nlmsg_len, rest.size());
      }
      echoed = refused.nlmsg_len;
    }
    rest = rest.subspan(std::min(Aligned(echoed), rest.size()));
  }
  if ((message.flags & NLM_F_ACK_TLVS) != 0) {
    absl::Status malformed;
    Attributes attributes(rest, "extended acknowledgement", malformed);
    verdict.text = attributes.String(NLMSGERR_ATTR_MSG).value_or("");
    RETURN_IF_ERROR(malformed);
  }
  return verdict;
}

PayloadBuilder& PayloadBuilder::PutU8(uint16_t attribute, uint8_t value) {
  return Put(attribute, &value, sizeof(value));
}

PayloadBuilder& PayloadBuilder::PutU32(uint16_t attribute, uint32_t value) {
  return Put(attribute, &value, sizeof(value));
}

PayloadBuilder& PayloadBuilder::PutString(uint16_t attribute, std::string_view text) {
  const std::string terminated(text);
  return Put(attribute, terminated.c_str(), terminated.size() + 1);
}

PayloadBuilder& PayloadBuilder::PutBytes(uint16_t attribute, ByteView bytes) {
  return Put(attribute, bytes.data(), bytes.size());
}

PayloadBuilder& PayloadBuilder::PutNest(uint16_t attribute, const PayloadBuilder& inner) {
  return Put(attribute | NLA_F_NESTED, inner.bytes_.data(), inner.bytes_.size());
}

PayloadBuilder& PayloadBuilder::Append(const PayloadBuilder& other) {
  return Append(other.bytes_.data(), other.bytes_.size());
}

PayloadBuilder& PayloadBuilder::Append(const void* data, size_t size) {
  if (size != 0) {
    const auto* first = static_cast<const uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  bytes_.resize(Aligned(bytes_.size()));
  return *this;
}

PayloadBuilder& PayloadBuilder::Put(uint16_t attribute, const void* data, size_t size) {
  const nlattr header{.nla_len = static_cast<uint16_t>(sizeof(nlattr) + size),
                      .nla_type = attribute};
  Append(&header, sizeof(header));
  return Append(data, size);
}

}  // namespace roceready::netlink
