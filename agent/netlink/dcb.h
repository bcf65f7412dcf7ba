// SPDX-License-Identifier: Apache-2.0
// Data center bridging of a port: PFC, ETS, APP table, buffers, DCBX, by RTM_GETDCB over rtnetlink
// (kernel include/uapi/linux/dcbnl.h; numbers that Debian 12 lacks are in dcb.cc with their
// source).
//
// A driver error is silent: the attribute is simply missing, so nullopt means "unsupported or
// failed", never "off". VLAN, bond, veth and virtio devices have no DCB: ask the lower device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/netlink/transport.h"

namespace roceready::netlink {

inline constexpr int kDcbPriorities = 8;

// struct ieee_ets, 802.1Qaz. Arrays are indexed by traffic class, priority_* by priority.
struct DcbEts {
  bool willing = false;
  // How many traffic classes ETS can serve.
  uint8_t capable_classes = 0;
  bool credit_based_shaper = false;
  std::array<uint8_t, kDcbPriorities> tx_bandwidth_percent{};
  std::array<uint8_t, kDcbPriorities> rx_bandwidth_percent{};
  // TsaWord() of words.h names them.
  std::array<uint8_t, kDcbPriorities> selection_algorithm{};
  std::array<uint8_t, kDcbPriorities> priority_to_class{};
  std::array<uint8_t, kDcbPriorities> recommended_bandwidth_percent{};
  std::array<uint8_t, kDcbPriorities> recommended_selection_algorithm{};
  std::array<uint8_t, kDcbPriorities> recommended_priority_to_class{};

  bool operator==(const DcbEts&) const = default;
};

// struct ieee_pfc, 802.1Qbb.
struct DcbPfc {
  // How many classes can have PFC at once: a count, no bitmap.
  uint8_t capable_classes = 0;
  // Bit N: priority N is lossless.
  uint8_t enabled_priorities = 0;
  bool macsec_bypass = false;
  // As the driver means it; mlx5: cable length in metres.
  uint16_t delay = 0;
  // PFC frames sent and received, by priority; some drivers leave them 0 or stale.
  std::array<uint64_t, kDcbPriorities> requests_sent{};
  std::array<uint64_t, kDcbPriorities> indications_received{};

  bool operator==(const DcbPfc&) const = default;
};

// struct dcb_app: a selector (DcbSelectorWord() of words.h), what is selected, the priority.
// Selector 1 with protocol 0 is the default priority of the port.
struct DcbAppEntry {
  uint8_t selector = 0;
  uint8_t priority = 0;
  uint16_t protocol = 0;

  bool operator==(const DcbAppEntry&) const = default;
};

// struct dcbnl_buffer.
struct DcbBuffer {
  std::array<uint8_t, kDcbPriorities> priority_to_buffer{};
  std::array<uint32_t, kDcbPriorities> buffer_bytes{};
  uint32_t total_bytes = 0;

  bool operator==(const DcbBuffer&) const = default;
};

// One answer to DCB_CMD_IEEE_GET.
struct DcbState {
  std::string netdev;
  std::optional<DcbEts> ets;
  std::optional<DcbPfc> pfc;
  // In the kernel's order, which means nothing. Engaged and empty: a table without entries.
  std::optional<std::vector<DcbAppEntry>> app;
  // Kilobit per second, 0 = unlimited.
  std::optional<std::array<uint64_t, kDcbPriorities>> maxrate_kbps;
  std::optional<DcbBuffer> buffer;
  // What the link partner said, only from drivers with firmware DCBX.
  std::optional<DcbEts> peer_ets;
  std::optional<DcbPfc> peer_pfc;
  std::optional<std::vector<DcbAppEntry>> peer_app;
  // Selectors in the order of trust; no mainline NIC driver gives it.
  std::optional<std::vector<uint8_t>> app_trust;
  // Bits, DcbxWords() of words.h.
  std::optional<uint8_t> dcbx;
};

Request DcbIeeeRequest(const std::string& netdev);
Request DcbDcbxRequest(const std::string& netdev);

// Decodes an answer to DcbIeeeRequest, or a notification of group RTNLGRP_DCB (cmd IEEE_SET).
// kDataLoss when malformed. Numbers are as the driver gave them (a priority above 7 is shown).
absl::StatusOr<DcbState> DecodeDcbIeee(const Message& message);
// The DCBX byte of an answer to DcbDcbxRequest.
absl::StatusOr<uint8_t> DecodeDcbDcbx(const Message& message);

// Asks and decodes. kUnimplemented where the driver has no DCB, kNotFound for an unknown name.
absl::StatusOr<DcbState> ReadDcb(Transport& route, const std::string& netdev);
absl::StatusOr<uint8_t> ReadDcbx(Transport& route, const std::string& netdev);

}  // namespace roceready::netlink
