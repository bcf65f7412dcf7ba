// SPDX-License-Identifier: Apache-2.0
// Packet filter tables, chains and rules by netfilter netlink (kernel include/uapi/linux/netfilter/
// nf_tables.h), as far as they tell what happens to a UDP port. Needs CAP_NET_ADMIN.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/netlink/transport.h"

namespace roceready::netlink {

struct NftTable {
  // NftFamilyWord() of words.h.
  uint8_t family = 0;
  std::string name;
  // Its chains are not hooked anywhere until it is woken (NFT_TABLE_F_DORMANT).
  bool is_dormant = false;
};

struct NftChain {
  // NftFamilyWord() of words.h.
  uint8_t family = 0;
  std::string table;
  std::string name;
  // Base chains only: NftHookWord() of words.h, and 0 = drop, 1 = accept.
  std::optional<uint32_t> hook;
  std::optional<uint32_t> policy;
};

// What a rule says about a UDP packet to some port. Which packets it takes is told exactly for
// comparisons of protocol, destination port and network; any other condition makes it conditional.
struct NftRule {
  uint8_t family = 0;
  std::string table;
  std::string chain;
  struct Ports {
    uint16_t first = 0;
    uint16_t last = 0;
    bool operator==(const Ports&) const = default;
  };
  // Destination ports of the packets that the rule can take, as ranges in rising order that do not
  // touch; empty where its comparisons contradict each other.
  std::vector<Ports> destination_ports = {{0, 0xffff}};
  // False where it asks for another protocol.
  bool takes_udp = true;
  // NFPROTO_IPV4 2 or NFPROTO_IPV6 10 where it asks for one of them.
  std::optional<uint8_t> network;
  // Of those packets it takes some, or which it takes was not worked out.
  bool conditional = false;
  // NftVerdictWord() of words.h, "reject", "map" where a table of values decides, or the name of
  // the expression or iptables target that decides; empty where the rule decides nothing.
  std::string verdict;
  // The chain that "jump" and "goto" lead to.
  std::string target;

  bool MayTakeUdpPort(uint16_t port) const;
};

Request NftTablesRequest();
Request NftChainsRequest();
Request NftRulesRequest();

// kDataLoss when malformed or without table or name. An expression that we do not know may decide:
// it is a verdict by its name.
absl::StatusOr<NftTable> DecodeNftTable(const Message& message);
absl::StatusOr<NftChain> DecodeNftChain(const Message& message);
absl::StatusOr<NftRule> DecodeNftRule(const Message& message);

absl::StatusOr<std::vector<NftTable>> ReadNftTables(Transport& netfilter);
absl::StatusOr<std::vector<NftChain>> ReadNftChains(Transport& netfilter);
absl::StatusOr<std::vector<NftRule>> ReadNftRules(Transport& netfilter);

}  // namespace roceready::netlink
