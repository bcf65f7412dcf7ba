// SPDX-License-Identifier: Apache-2.0
// The expressions of one nf_tables rule, run in their order as far as they tell what happens to a
// UDP packet (kernel net/netfilter/nf_tables_core.c nft_do_chain: an expression that does not match
// ends the rule, one that decides ends the rule too).
#pragma once

#include <array>
#include <string_view>

#include "agent/netlink/attributes.h"
#include "agent/netlink/nftables.h"

namespace roceready::netlink {

// nf_tables writes its numbers in network byte order.
std::optional<uint32_t> NftNumber(Attributes& attributes, uint16_t type);

class NftExpressionReader {
 public:
  // `rule` has its family and is told the rest.
  explicit NftExpressionReader(NftRule* rule) : rule_(rule) {}
  void Read(Attributes& expression);

 private:
  // What a register holds, as far as it matters. The first four bytes of one register are enough:
  // whoever loads another forgets it, and what is compared with a forgotten one is a condition.
  enum class Loaded { kOther, kProtocol, kNetwork, kEtherType, kDestinationPort, kBothPorts };

  void ReadPayload(Attributes& data);
  void ReadMeta(Attributes& data);
  void ReadCompare(Attributes& data);
  void ReadRange(Attributes& data);
  void ReadImmediate(Attributes& data);
  void ReadLookup(Attributes& data);
  void ReadObject(Attributes& data);
  void ReadMatch(Attributes& data);
  void ReadUdpMatch(Attributes& data, ByteView info);
  void ReadTarget(Attributes& data);

  void Load(std::optional<uint32_t> reg, Loaded loaded);
  Loaded In(std::optional<uint32_t> reg) const;
  Loaded OfNetworkHeader(std::optional<uint32_t> offset) const;
  void ComparePort(Loaded loaded, uint32_t operation, ByteView value);
  void TakeOnlyPorts(const std::vector<NftRule::Ports>& ports);
  void TakeOnlyProtocol(uint8_t protocol, bool equal);
  void TakeOnlyNetwork(std::optional<uint8_t> network, bool equal);
  void Decide(std::string_view verdict) { rule_->verdict = verdict; }

  NftRule* const rule_;
  std::optional<uint32_t> register_;
  Loaded loaded_ = Loaded::kOther;
};

}  // namespace roceready::netlink
