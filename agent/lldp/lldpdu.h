// SPDX-License-Identifier: Apache-2.0
// What one LLDPDU says. A value that was not sent is kNotFound, one whose TLV was malformed
// kDataLoss (with the byte of the LLDPDU): neither is ever a number.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/contract/errors.h"

namespace roceready::lldp {

inline constexpr size_t kPriorities = 8;

template <typename Value>
using Sent = absl::StatusOr<Value>;
inline absl::Status NotSent() { return NotFound("the neighbour does not send it"); }

struct Identifier {
  uint8_t subtype = 0;
  // A MAC, an IP address, a name; hexadecimal after "0x" where it is none of them.
  std::string text;

  bool operator==(const Identifier&) const = default;
};

struct Pfc {
  bool willing = false;
  bool macsec_bypass = false;
  // At once; a sent 0 means 8.
  uint8_t capable_classes = 0;
  // Bit n: priority n.
  uint8_t enabled_priorities = 0;

  bool operator==(const Pfc&) const = default;
};

// Of a configuration or a recommendation; the first three are of a configuration only.
struct Ets {
  bool willing = false;
  bool credit_based_shaper = false;
  uint8_t capable_classes = 0;
  std::array<uint8_t, kPriorities> priority_to_class{};
  std::array<uint8_t, kPriorities> bandwidth_percent{};
  // As in linux/dcbnl.h: 0 strict, 1 credit-based shaper, 2 ETS, 255 vendor.
  std::array<uint8_t, kPriorities> selection_algorithm{};

  bool operator==(const Ets&) const = default;
};

struct AppEntry {
  // IEEE 802.1Qaz: 1 EtherType, 2 TCP or SCTP port, 3 UDP or DCCP port, 4 any port, 5 DSCP.
  uint8_t selector = 0;
  uint8_t priority = 0;
  uint16_t protocol = 0;

  bool operator==(const AppEntry&) const = default;
};

struct CeeState {
  bool enabled = false;
  bool willing = false;
  bool error = false;

  bool operator==(const CeeState&) const = default;
};
struct CeePfc {
  CeeState state;
  uint8_t capable_classes = 0;
  uint8_t enabled_priorities = 0;

  bool operator==(const CeePfc&) const = default;
};
struct CeePriorityGroups {
  CeeState state;
  uint8_t capable_classes = 0;
  // 15: strict, outside of all groups.
  std::array<uint8_t, kPriorities> priority_to_group{};
  std::array<uint8_t, kPriorities> bandwidth_percent{};

  bool operator==(const CeePriorityGroups&) const = default;
};
struct CeeApp {
  CeeState state;
  // In the words of IEEE: an EtherType, or a port of any protocol; one entry a priority.
  std::vector<AppEntry> entries;

  bool operator==(const CeeApp&) const = default;
};
struct Cee {
  Sent<CeePriorityGroups> groups = NotSent();
  Sent<CeePfc> pfc = NotSent();
  Sent<CeeApp> app = NotSent();
};

struct Vlan {
  uint16_t id = 0;
  std::string name;

  bool operator==(const Vlan&) const = default;
};

struct Aggregation {
  bool capable = false;
  bool enabled = false;
  uint32_t port = 0;

  bool operator==(const Aggregation&) const = default;
};

struct Lldpdu {
  Identifier chassis;
  Identifier port;
  // 0: the neighbour leaves, and nothing else is said.
  uint16_t ttl_seconds = 0;

  std::optional<std::string> port_description;
  std::optional<std::string> system_name;
  std::optional<std::string> system_description;
  // Bits of IEEE 802.1AB-2016, table 8-4: what is at work.
  std::optional<uint16_t> enabled_capabilities;
  std::vector<std::string> management_addresses;

  std::optional<uint16_t> port_vlan_id;
  std::vector<Vlan> vlans;
  std::optional<uint16_t> max_frame_bytes;
  std::optional<Aggregation> aggregation;

  Sent<Ets> ets = NotSent();
  Sent<Ets> ets_recommendation = NotSent();
  Sent<Pfc> pfc = NotSent();
  Sent<std::vector<AppEntry>> app = NotSent();
  std::optional<Cee> cee;
  // DCBX before CEE: recognised, not read.
  bool sends_cin = false;

  // Why each optional TLV was not used that is malformed or was given twice; at most kMostRefused.
  std::vector<std::string> refused;
};

inline constexpr size_t kMostRefused = 16;

}  // namespace roceready::lldp
