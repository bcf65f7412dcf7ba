// SPDX-License-Identifier: Apache-2.0
// Speed, link state, pause, FEC and the memory of the plugged module of a netdev, by generic
// netlink family "ethtool" (kernel include/uapi/linux/ethtool_netlink.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/netlink/generic.h"

namespace roceready::netlink {

inline constexpr std::string_view kEthtoolFamily = "ethtool";

// Which netdev an answer is about.
struct EthtoolDevice {
  std::optional<uint32_t> index;
  std::optional<std::string> name;
};

struct EthtoolLinkModes {
  EthtoolDevice device;
  std::optional<bool> autoneg;
  // Missing also where the kernel says "unknown" (0xffffffff).
  std::optional<uint32_t> speed_mbps;
  // 0 half, 1 full; missing where the kernel says "unknown" (0xff).
  std::optional<uint8_t> duplex;
  std::optional<uint32_t> lanes;
};

struct EthtoolLinkState {
  EthtoolDevice device;
  std::optional<bool> link;
  // Why there is no link, EthtoolExtendedStateWord() of words.h.
  std::optional<uint8_t> extended_state;
  std::optional<uint8_t> extended_substate;
  // How often the link went down (not in 6.1).
  std::optional<uint32_t> down_count;
};

struct EthtoolPause {
  EthtoolDevice device;
  std::optional<bool> autoneg;
  std::optional<bool> rx;
  std::optional<bool> tx;
  // Frames; missing where the driver keeps no such statistics.
  std::optional<uint64_t> tx_frames;
  std::optional<uint64_t> rx_frames;
};

// Element 0 is the total, the others are per lane where the driver counts per lane.
using EthtoolFecCount = std::vector<uint64_t>;
struct EthtoolFec {
  EthtoolDevice device;
  // Configured, as ETHTOOL_LINK_MODE_FEC_* bit numbers; FecWord() of words.h.
  std::optional<std::vector<uint32_t>> configured;
  std::optional<bool> automatic;
  std::optional<uint32_t> active;
  std::optional<EthtoolFecCount> corrected_blocks;
  std::optional<EthtoolFecCount> uncorrectable_blocks;
  std::optional<EthtoolFecCount> corrected_bits;
};

// Part of a plugged module's memory: 128 bytes that start at 0 or 128.
struct EthtoolModuleMemory {
  EthtoolDevice device;
  std::vector<uint8_t> bytes;
};
inline constexpr uint32_t kModuleHalf = 128;

Request EthtoolLinkModesRequest(const GenericFamily& family, const std::string& netdev);
Request EthtoolLinkStateRequest(const GenericFamily& family, const std::string& netdev);
// With statistics.
Request EthtoolPauseRequest(const GenericFamily& family, const std::string& netdev);
Request EthtoolFecRequest(const GenericFamily& family, const std::string& netdev);
// Of page 0; `offset` is 0 or kModuleHalf. Needs CAP_NET_ADMIN.
Request EthtoolModuleRequest(const GenericFamily& family, const std::string& netdev,
                             uint32_t offset);

// All decoders: kDataLoss when malformed.
absl::StatusOr<EthtoolLinkModes> DecodeEthtoolLinkModes(const Message& message);
absl::StatusOr<EthtoolLinkState> DecodeEthtoolLinkState(const Message& message);
absl::StatusOr<EthtoolPause> DecodeEthtoolPause(const Message& message);
absl::StatusOr<EthtoolFec> DecodeEthtoolFec(const Message& message);
// kDataLoss for any other number of bytes than kModuleHalf.
absl::StatusOr<EthtoolModuleMemory> DecodeEthtoolModule(const Message& message);

// Ask and decode. kUnimplemented where the driver has no such operation, kNotFound for an unknown
// name.
absl::StatusOr<EthtoolLinkModes> ReadEthtoolLinkModes(Transport& generic,
                                                      const GenericFamily& family,
                                                      const std::string& netdev);
absl::StatusOr<EthtoolLinkState> ReadEthtoolLinkState(Transport& generic,
                                                      const GenericFamily& family,
                                                      const std::string& netdev);
absl::StatusOr<EthtoolPause> ReadEthtoolPause(Transport& generic, const GenericFamily& family,
                                              const std::string& netdev);
absl::StatusOr<EthtoolFec> ReadEthtoolFec(Transport& generic, const GenericFamily& family,
                                          const std::string& netdev);

// Both halves, as one run of 256 bytes.
absl::StatusOr<std::vector<uint8_t>> ReadEthtoolModule(Transport& generic,
                                                       const GenericFamily& family,
                                                       const std::string& netdev);

}  // namespace roceready::netlink
