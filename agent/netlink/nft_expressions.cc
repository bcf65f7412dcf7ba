// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/nft_expressions.h"

#include <linux/if_ether.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
// It needs nfnetlink.h before it.
#include <linux/netfilter/nf_tables_compat.h>

#include <algorithm>

#include "agent/netlink/words.h"

namespace roceready::netlink {
namespace {

using PortList = std::vector<NftRule::Ports>;

constexpr uint8_t kUdp = 17;
constexpr uint16_t kLastPort = 0xffff;

// They match everything, decide nothing and leave the registers as they are.
constexpr std::array<std::string_view, 6> kWithoutEffect = {"counter", "log", "notrack",
                                                            "last",    "dup", "secmark"};
// The same, and they write to a register.
constexpr std::array<std::string_view, 4> kWriters = {"bitwise", "byteorder", "hash", "numgen"};
// They may end the rule, and the register that some of them write to holds nothing that we follow.
constexpr std::array<std::string_view, 13> kConditions = {
    "ct",   "fib",   "rt",    "exthdr",    "socket", "osf",         "tunnel",
    "xfrm", "limit", "quota", "connlimit", "dynset", "flow_offload"};
// Targets of iptables that let the packet go on (kernel net/netfilter/xt_*.c: XT_CONTINUE).
constexpr std::array<std::string_view, 26> kGoingOn = {
    "LOG",         "NFLOG",    "ULOG",    "AUDIT",     "TRACE",    "CT",     "NOTRACK",
    "MARK",        "CONNMARK", "SECMARK", "HMARK",     "CLASSIFY", "TCPMSS", "TCPOPTSTRIP",
    "DSCP",        "TOS",      "ECN",     "TTL",       "HL",       "SET",    "TEE",
    "CONNSECMARK", "CHECKSUM", "RATEEST", "IDLETIMER", "LED"};

template <typename Names>
bool IsOneOf(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

ByteView Value(Attributes& data, uint16_t type) {
  std::optional<Attributes> nest = data.Nest(type, "nft data");
  if (!nest) return {};
  return nest->Raw(NFTA_DATA_VALUE).value_or(ByteView());
}

uint16_t BigEndian(ByteView two_bytes) {
  return static_cast<uint16_t>(two_bytes[0] << 8 | two_bytes[1]);
}

PortList AllBut(uint16_t first, uint16_t last) {
  PortList ports;
  if (first > 0) ports.push_back({0, static_cast<uint16_t>(first - 1)});
  if (last < kLastPort) ports.push_back({static_cast<uint16_t>(last + 1), kLastPort});
  return ports;
}

// Nothing where the bounds are the wrong way round, as the kernel compares.
PortList Between(uint32_t first, uint32_t last) {
  if (first > last) return {};
  return {{static_cast<uint16_t>(first), static_cast<uint16_t>(last)}};
}

// The registers of 16 bytes are the four-byte ones 0, 4, 8 and 12.
std::optional<uint32_t> FourByteRegister(uint32_t reg) {
  if (reg >= NFT_REG_1 && reg <= NFT_REG_4) return (reg - NFT_REG_1) * 4;
  if (reg >= NFT_REG32_00 && reg <= NFT_REG32_15) return reg - NFT_REG32_00;
  return std::nullopt;
}

}  // namespace

std::optional<uint32_t> NftNumber(Attributes& attributes, uint16_t type) {
  const std::optional<uint32_t> raw = attributes.U32(type);
  if (!raw) return std::nullopt;
  return __builtin_bswap32(*raw);
}

void NftExpressionReader::Read(Attributes& expression) {
  const std::optional<std::string> name = expression.String(NFTA_EXPR_NAME);
  if (!name || name->empty()) return expression.Refuse("no name");
  // Some expressions say nothing but their name.
  static constexpr ByteView kNothing;
  std::optional<Attributes> nest = expression.Nest(NFTA_EXPR_DATA, "nft expression data");
  Attributes none = expression.Entry({.type = 0, .payload = kNothing}, "nft expression data");
  Attributes& data = nest ? *nest : none;
  // Nothing behind a decision is looked at.
  if (!rule_->verdict.empty()) return;
  if (*name == "payload") return ReadPayload(data);
  if (*name == "meta") return ReadMeta(data);
  if (*name == "cmp") return ReadCompare(data);
  if (*name == "range") return ReadRange(data);
  if (*name == "immediate") return ReadImmediate(data);
  if (*name == "lookup") return ReadLookup(data);
  if (*name == "objref") return ReadObject(data);
  if (*name == "match") return ReadMatch(data);
  if (*name == "target") return ReadTarget(data);
  if (IsOneOf(kWithoutEffect, *name)) return;
  if (IsOneOf(kWriters, *name)) return Load(std::nullopt, Loaded::kOther);
  if (IsOneOf(kConditions, *name)) {
    rule_->conditional = true;
    return Load(std::nullopt, Loaded::kOther);
  }
  // The packet goes its way with another source address (NF_ACCEPT of nf_nat_core.c).
  if (*name == "masq") return Decide("accept");
  Decide(*name);
}

void NftExpressionReader::Load(std::optional<uint32_t> reg, Loaded loaded) {
  register_ = reg ? FourByteRegister(*reg) : std::nullopt;
  loaded_ = loaded;
}

NftExpressionReader::Loaded NftExpressionReader::In(std::optional<uint32_t> reg) const {
  const std::optional<uint32_t> number = reg ? FourByteRegister(*reg) : std::nullopt;
  return number && number == register_ ? loaded_ : Loaded::kOther;
}

// Where the protocol stands depends on the network; RoCE's packets have no extension headers.
NftExpressionReader::Loaded NftExpressionReader::OfNetworkHeader(
    std::optional<uint32_t> offset) const {
  constexpr uint32_t kProtocolOfIp4 = 9, kNextHeaderOfIp6 = 6;
  const bool is_family = rule_->family == NFPROTO_IPV4 || rule_->family == NFPROTO_IPV6;
  const std::optional<uint8_t> network = is_family ? rule_->family : rule_->network;
  if (network == NFPROTO_IPV4 && offset == kProtocolOfIp4) return Loaded::kProtocol;
  if (network == NFPROTO_IPV6 && offset == kNextHeaderOfIp6) return Loaded::kProtocol;
  return Loaded::kOther;
}

void NftExpressionReader::ReadPayload(Attributes& data) {
  const auto into = NftNumber(data, NFTA_PAYLOAD_DREG);
  const auto base = NftNumber(data, NFTA_PAYLOAD_BASE);
  const auto offset = NftNumber(data, NFTA_PAYLOAD_OFFSET);
  const auto length = NftNumber(data, NFTA_PAYLOAD_LEN);
  if (!into) return;  // writes to the packet instead
  if (base == NFT_PAYLOAD_TRANSPORT_HEADER && offset == 2 && length == 2) {
    return Load(into, Loaded::kDestinationPort);
  }
  if (base == NFT_PAYLOAD_TRANSPORT_HEADER && offset == 0 && length == 4) {
    return Load(into, Loaded::kBothPorts);
  }
  if (base == NFT_PAYLOAD_NETWORK_HEADER && length == 1) {
    return Load(into, OfNetworkHeader(offset));
  }
  Load(into, Loaded::kOther);
}

void NftExpressionReader::ReadMeta(Attributes& data) {
  const auto into = NftNumber(data, NFTA_META_DREG);
  const auto key = NftNumber(data, NFTA_META_KEY);
  if (!into) return;  // sets something of the packet instead
  if (key == NFT_META_L4PROTO) return Load(into, Loaded::kProtocol);
  // Chains of a net device see the family netdev there.
  const bool tells_network = rule_->family != NFPROTO_NETDEV;
  if (key == NFT_META_NFPROTO && tells_network) return Load(into, Loaded::kNetwork);
  if (key == NFT_META_PROTOCOL) return Load(into, Loaded::kEtherType);
  Load(into, Loaded::kOther);
}

void NftExpressionReader::ReadCompare(Attributes& data) {
  const Loaded loaded = In(NftNumber(data, NFTA_CMP_SREG));
  const std::optional<uint32_t> operation = NftNumber(data, NFTA_CMP_OP);
  const ByteView value = Value(data, NFTA_CMP_DATA);
  if (!operation) return data.Refuse("no operation");
  const bool equal = operation == NFT_CMP_EQ;
  const bool is_equality = equal || operation == NFT_CMP_NEQ;
  if (loaded == Loaded::kProtocol && is_equality && value.size() == 1) {
    return TakeOnlyProtocol(value[0], equal);
  }
  if (loaded == Loaded::kNetwork && is_equality && value.size() == 1) {
    return TakeOnlyNetwork(value[0], equal);
  }
  if (loaded == Loaded::kEtherType && is_equality && value.size() == 2) {
    if (BigEndian(value) == ETH_P_IP) return TakeOnlyNetwork(NFPROTO_IPV4, equal);
    if (BigEndian(value) == ETH_P_IPV6) return TakeOnlyNetwork(NFPROTO_IPV6, equal);
  }
  ComparePort(loaded, *operation, value);
}

void NftExpressionReader::ComparePort(Loaded loaded, uint32_t operation, ByteView value) {
  if (loaded == Loaded::kBothPorts && value.size() == 4 && operation == NFT_CMP_EQ) {
    // The source port is asked for as well.
    rule_->conditional = true;
    const uint16_t port = BigEndian(value.subspan(2));
    return TakeOnlyPorts(Between(port, port));
  }
  if (loaded != Loaded::kDestinationPort || value.size() != 2) {
    rule_->conditional = true;
    return;
  }
  const uint16_t port = BigEndian(value);
  switch (operation) {
    case NFT_CMP_EQ:
      return TakeOnlyPorts(Between(port, port));
    case NFT_CMP_NEQ:
      return TakeOnlyPorts(AllBut(port, port));
    case NFT_CMP_LT:
      return TakeOnlyPorts(port == 0 ? PortList() : Between(0, port - 1u));
    case NFT_CMP_LTE:
      return TakeOnlyPorts(Between(0, port));
    case NFT_CMP_GT:
      return TakeOnlyPorts(Between(port + 1u, kLastPort));
    case NFT_CMP_GTE:
      return TakeOnlyPorts(Between(port, kLastPort));
    default:
      rule_->conditional = true;
  }
}

void NftExpressionReader::ReadRange(Attributes& data) {
  const Loaded loaded = In(NftNumber(data, NFTA_RANGE_SREG));
  const auto operation = NftNumber(data, NFTA_RANGE_OP);
  const ByteView first = Value(data, NFTA_RANGE_FROM_DATA);
  const ByteView last = Value(data, NFTA_RANGE_TO_DATA);
  const bool of_ports = loaded == Loaded::kDestinationPort && first.size() == 2 && last.size() == 2;
  if (of_ports && operation == NFT_RANGE_EQ) {
    return TakeOnlyPorts(Between(BigEndian(first), BigEndian(last)));
  }
  if (of_ports && operation == NFT_RANGE_NEQ && BigEndian(first) <= BigEndian(last)) {
    return TakeOnlyPorts(AllBut(BigEndian(first), BigEndian(last)));
  }
  rule_->conditional = true;
}

// What is asked for before stays asked for: the intersection.
void NftExpressionReader::TakeOnlyPorts(const PortList& ports) {
  PortList both;
  for (const NftRule::Ports& before : rule_->destination_ports) {
    for (const NftRule::Ports& now : ports) {
      const NftRule::Ports common = {std::max(before.first, now.first),
                                     std::min(before.last, now.last)};
      if (common.first <= common.last) both.push_back(common);
    }
  }
  rule_->destination_ports = std::move(both);
}

void NftExpressionReader::TakeOnlyProtocol(uint8_t protocol, bool equal) {
  if ((protocol == kUdp) != equal) rule_->takes_udp = false;
}

void NftExpressionReader::TakeOnlyNetwork(std::optional<uint8_t> network, bool equal) {
  const bool known = network == NFPROTO_IPV4 || network == NFPROTO_IPV6;
  if (known && !equal) {
    network = network == NFPROTO_IPV4 ? NFPROTO_IPV6 : NFPROTO_IPV4;
  } else if (!known) {
    // A packet of UDP is of one of the two.
    if (equal) rule_->takes_udp = false;
    return;
  }
  if (rule_->network.value_or(*network) != network) rule_->takes_udp = false;
  rule_->network = network;
}

void NftExpressionReader::ReadImmediate(Attributes& data) {
  if (NftNumber(data, NFTA_IMMEDIATE_DREG) != NFT_REG_VERDICT) {
    return Load(std::nullopt, Loaded::kOther);
  }
  std::optional<Attributes> value = data.Nest(NFTA_IMMEDIATE_DATA, "nft data");
  if (!value) return data.Refuse("no verdict");
  std::optional<Attributes> verdict = value->Nest(NFTA_DATA_VERDICT, "nft verdict");
  if (!verdict) return value->Refuse("no verdict");
  const std::optional<uint32_t> code = NftNumber(*verdict, NFTA_VERDICT_CODE);
  if (!code) return verdict->Refuse("no code");
  const int32_t number = static_cast<int32_t>(*code);
  if (number == NFT_CONTINUE || number == NFT_BREAK) return;
  Decide(NftVerdictWord(number));
  if (number != NFT_JUMP && number != NFT_GOTO) return;
  rule_->target = verdict->String(NFTA_VERDICT_CHAIN).value_or("");
  if (rule_->target.empty()) verdict->Refuse("no chain to go to");
}

void NftExpressionReader::ReadLookup(Attributes& data) {
  rule_->conditional = true;
  if (NftNumber(data, NFTA_LOOKUP_DREG) == NFT_REG_VERDICT) Decide("map");
  Load(std::nullopt, Loaded::kOther);
}

// Named objects: a counter and its like let all pass, a limit does not.
void NftExpressionReader::ReadObject(Attributes& data) {
  const auto type = NftNumber(data, NFTA_OBJREF_IMM_TYPE);
  const bool passes = type == NFT_OBJECT_COUNTER || type == NFT_OBJECT_CT_HELPER ||
                      type == NFT_OBJECT_TUNNEL || type == NFT_OBJECT_CT_TIMEOUT ||
                      type == NFT_OBJECT_SECMARK;
  if (!passes) rule_->conditional = true;
}

void NftExpressionReader::ReadMatch(Attributes& data) {
  const std::optional<std::string> name = data.String(NFTA_MATCH_NAME);
  const ByteView info = data.Raw(NFTA_MATCH_INFO).value_or(ByteView());
  if (!name || name->empty()) return data.Refuse("no name");
  if (*name == "comment") return;
  if (*name == "tcp") {
    rule_->takes_udp = false;
  } else if (*name == "udp") {
    ReadUdpMatch(data, info);
  } else {
    rule_->conditional = true;
  }
}

// struct xt_udp of linux/netfilter/xt_tcpudp.h: first and last source port, first and last
// destination port, all in host order, and which of the two is inverted.
void NftExpressionReader::ReadUdpMatch(Attributes& data, ByteView info) {
  constexpr size_t kFlags = 8;
  constexpr uint8_t kInvertedSource = 1, kInvertedDestination = 2;
  if (info.size() <= kFlags) return data.Refuse("udp match is cut");
  std::array<uint16_t, 4> ports{};
  std::memcpy(ports.data(), info.data(), sizeof(ports));
  const bool any_source = ports[0] == 0 && ports[1] == kLastPort;
  if (!any_source || (info[kFlags] & kInvertedSource) != 0) rule_->conditional = true;
  const bool inverted = (info[kFlags] & kInvertedDestination) != 0;
  if (inverted && ports[2] > ports[3]) return;  // none is outside of nothing: each is taken
  TakeOnlyPorts(inverted ? AllBut(ports[2], ports[3]) : Between(ports[2], ports[3]));
}

void NftExpressionReader::ReadTarget(Attributes& data) {
  const std::optional<std::string> name = data.String(NFTA_TARGET_NAME);
  if (!name || name->empty()) return data.Refuse("no name");
  if (IsOneOf(kGoingOn, *name)) return;
  if (*name == "MASQUERADE") return Decide("accept");
  Decide(*name == "REJECT" ? "reject" : std::string_view(*name));
}

}  // namespace roceready::netlink
