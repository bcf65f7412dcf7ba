// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/attributes.h"

#include <linux/netlink.h>

#include <algorithm>

namespace roceready::netlink {

Attributes::Attributes(ByteView bytes, std::string_view where, absl::Status& malformed)
    : where_(where), malformed_(malformed) {
  while (!bytes.empty()) {
    nlattr header;
    if (bytes.size() < sizeof(header)) {
      Refuse(fmt::format("ends in {} bytes, too few for an attribute", bytes.size()));
      break;
    }
    std::memcpy(&header, bytes.data(), sizeof(header));
    const uint16_t type = header.nla_type & NLA_TYPE_MASK;
    if (header.nla_len < sizeof(header) || header.nla_len > bytes.size()) {
      Refuse(fmt::format("attribute {} says {} bytes where {} are left", type, header.nla_len,
                         bytes.size()));
      break;
    }
    all_.push_back({type, bytes.subspan(sizeof(header), header.nla_len - sizeof(header))});
    bytes = bytes.subspan(std::min<size_t>(NLA_ALIGN(header.nla_len), bytes.size()));
  }
}

std::optional<uint16_t> Attributes::BigEndian16(uint16_t type) {
  const auto wire = Copy<std::array<uint8_t, 2>>(type);
  if (!wire) return std::nullopt;
  return static_cast<uint16_t>((*wire)[0] << 8 | (*wire)[1]);
}

std::optional<bool> Attributes::Bool(uint16_t type) {
  const std::optional<uint8_t> value = U8(type);
  if (!value) return std::nullopt;
  if (*value > 1) {
    Refuse(fmt::format("attribute {} is {}, neither 0 nor 1", type, *value));
    return std::nullopt;
  }
  return *value == 1;
}

std::optional<std::string> Attributes::String(uint16_t type) {
  const Attribute* found = Single(type);
  if (found == nullptr) return std::nullopt;
  const ByteView text = found->payload;
  const auto end = std::find(text.begin(), text.end(), 0);
  if (std::any_of(end, text.end(), [](uint8_t byte) { return byte != 0; })) {
    Refuse(fmt::format("attribute {} has bytes after its terminator", type));
    return std::nullopt;
  }
  return std::string(text.begin(), end);
}

std::optional<ByteView> Attributes::Raw(uint16_t type) {
  const Attribute* found = Single(type);
  if (found == nullptr) return std::nullopt;
  return found->payload;
}

bool Attributes::Flag(uint16_t type) {
  const Attribute* found = Single(type);
  return found != nullptr && HasSize(*found, 0);
}

std::optional<Attributes> Attributes::Nest(uint16_t type, std::string_view where) {
  const Attribute* found = Single(type);
  if (found == nullptr) return std::nullopt;
  return Attributes(found->payload, where, malformed_);
}

void Attributes::Refuse(std::string_view what) {
  if (malformed_.ok()) malformed_ = DataLoss("{}: {}", where_, what);
}

const Attribute* Attributes::Single(uint16_t type) {
  const auto matches = [type](const Attribute& attribute) { return attribute.type == type; };
  const auto found = std::find_if(all_.begin(), all_.end(), matches);
  if (found == all_.end()) return nullptr;
  if (std::any_of(found + 1, all_.end(), matches)) {
    Refuse(fmt::format("attribute {} comes twice", type));
    return nullptr;
  }
  return &*found;
}

bool Attributes::HasSize(const Attribute& attribute, size_t size) {
  if (attribute.payload.size() == size) return true;
  Refuse(fmt::format("attribute {} has {} bytes, not {}", attribute.type, attribute.payload.size(),
                     size));
  return false;
}

}  // namespace roceready::netlink
