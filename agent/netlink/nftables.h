// SPDX-License-Identifier: Apache-2.0
// Packet filter chains and rules by netfilter netlink (kernel include/uapi/linux/netfilter/
// nf_tables.h), as far as they tell what happens to a UDP port. Needs CAP_NET_ADMIN.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/netlink/transport.h"

namespace roceready::netlink {

struct NftChain {
  // NftFamilyWord() of words.h.
  uint8_t family = 0;
  std::string table;
  std::string name;
  // Base chains only: NftHookWord() of words.h, and 0 = drop, 1 = accept.
  std::optional<uint32_t> hook;
  std::optional<uint32_t> policy;
};

struct NftRule {
  uint8_t family = 0;
  std::string table;
  std::string chain;
  // Destination ports that the rule compares with, as ranges; empty where it looks at none, or
  // where they stand in a set. Not told: whether the comparison is negated.
  struct Ports {
    uint16_t first = 0;
    uint16_t last = 0;
    bool operator==(const Ports&) const = default;
  };
  std::vector<Ports> destination_ports;
  // The protocol that the rule asks for (17 = UDP); missing where it takes any.
  std::optional<uint8_t> protocol;
  // NF_DROP 0, NF_ACCEPT 1, NFT_JUMP -3, NFT_GOTO -4, NFT_RETURN -5; missing where the rule decides
  // nothing.
  std::optional<int32_t> verdict;
  bool rejects = false;
};

Request NftChainsRequest();
Request NftRulesRequest();

// kDataLoss when malformed or without table or name. Expressions that we do not know are passed
// over.
absl::StatusOr<NftChain> DecodeNftChain(const Message& message);
absl::StatusOr<NftRule> DecodeNftRule(const Message& message);

absl::StatusOr<std::vector<NftChain>> ReadNftChains(Transport& netfilter);
absl::StatusOr<std::vector<NftRule>> ReadNftRules(Transport& netfilter);

}  // namespace roceready::netlink
