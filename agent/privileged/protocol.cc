// SPDX-License-Identifier: Apache-2.0
#include "agent/privileged/protocol.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "proto/contract/ids.h"

namespace roceready::privileged {
namespace {

// Both ends are of one machine: fields lie as they are in memory.
constexpr std::array<char, 4> kMagic = {'R', 'R', 'P', '1'};
constexpr size_t kAddressBytes = 16;

struct RequestPacket {
  std::array<char, 4> magic;
  uint32_t kind;
  uint32_t net_device_index;
  uint32_t reserved;
  std::array<char, kAddressBytes> pci_address;
};
static_assert(sizeof(RequestPacket) == kRequestBytes);

struct ReplyHeader {
  std::array<char, 4> magic;
  int32_t error;
  uint32_t text_bytes;
};

template <typename Packet>
Bytes BytesOf(const Packet& packet) {
  Bytes bytes(sizeof(packet));
  std::memcpy(bytes.data(), &packet, sizeof(packet));
  return bytes;
}

absl::Status CheckArguments(const Request& request) {
  switch (request.kind) {
    case Kind::kLldpSocket:
    case Kind::kRoceSocket:
      if (request.net_device_index > 0 && request.pci_address.empty()) return absl::OkStatus();
      return InvalidArgument("a packet socket is for one net device");
    case Kind::kMlx5CongestionParameters:
    case Kind::kBnxtCongestionParameters:
    case Kind::kPciConfiguration:
      if (request.net_device_index == 0 && IsPciAddress(request.pci_address)) {
        return absl::OkStatus();
      }
      return InvalidArgument("congestion parameters and configuration are of one PCI function");
  }
  return InvalidArgument("request of the unknown kind {}", static_cast<uint32_t>(request.kind));
}

}  // namespace

Bytes Encode(const Request& request) {
  RequestPacket packet{};
  packet.magic = kMagic;
  packet.kind = static_cast<uint32_t>(request.kind);
  packet.net_device_index = request.net_device_index;
  const size_t size = std::min(request.pci_address.size(), kAddressBytes);
  std::copy_n(request.pci_address.begin(), size, packet.pci_address.begin());
  return BytesOf(packet);
}

absl::StatusOr<Request> DecodeRequest(std::span<const uint8_t> bytes) {
  RequestPacket packet;
  if (bytes.size() != sizeof(packet)) return InvalidArgument("request of {} bytes", bytes.size());
  std::memcpy(&packet, bytes.data(), sizeof(packet));
  if (packet.magic != kMagic || packet.reserved != 0) {
    return InvalidArgument("request in another protocol");
  }
  const auto end = std::ranges::find(packet.pci_address, '\0');
  if (std::any_of(end, packet.pci_address.end(), [](char c) { return c != '\0'; })) {
    return InvalidArgument("PCI address with bytes behind its end");
  }
  Request request = {.kind = static_cast<Kind>(packet.kind),
                     .net_device_index = packet.net_device_index,
                     .pci_address = std::string(packet.pci_address.begin(), end)};
  RETURN_IF_ERROR(CheckArguments(request));
  return request;
}

Bytes Encode(const Reply& reply) {
  const std::string_view text = std::string_view(reply.text).substr(0, kLongestText);
  Bytes bytes = BytesOf(ReplyHeader{
      .magic = kMagic, .error = reply.error, .text_bytes = static_cast<uint32_t>(text.size())});
  bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

absl::StatusOr<Reply> DecodeReply(std::span<const uint8_t> bytes) {
  ReplyHeader header;
  if (bytes.size() < sizeof(header)) return InvalidArgument("reply of {} bytes", bytes.size());
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::span text = bytes.subspan(sizeof(header));
  if (header.magic != kMagic || header.error < 0 || header.text_bytes != text.size()) {
    return InvalidArgument("reply in another protocol");
  }
  return Reply{.error = header.error, .text = std::string(text.begin(), text.end())};
}

}  // namespace roceready::privileged
