// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/nftables.h"

#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
// It needs nfnetlink.h before it.
#include <linux/netfilter/nf_tables_compat.h>

#include <algorithm>
#include <map>

#include "agent/netlink/attributes.h"

namespace roceready::netlink {
namespace {

constexpr uint16_t TypeOf(int message) {
  return static_cast<uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | message);
}

Request DumpRequest(int message, std::string what) {
  // Family 0: all of them.
  const nfgenmsg header{.nfgen_family = 0, .version = NFNETLINK_V0, .res_id = 0};
  return {.type = TypeOf(message),
          .dump = true,
          .payload = PayloadBuilder().PutHeader(header).Take(),
          .what = std::move(what)};
}

// nf_tables writes its numbers in network byte order.
std::optional<uint32_t> Number(Attributes& attributes, uint16_t type) {
  const std::optional<uint32_t> raw = attributes.U32(type);
  if (!raw) return std::nullopt;
  return __builtin_bswap32(*raw);
}

std::string Required(Attributes& attributes, uint16_t type, std::string_view what) {
  std::optional<std::string> text = attributes.String(type);
  if (!text || text->empty()) attributes.Refuse(fmt::format("no {}", what));
  return std::move(text).value_or("");
}

// What a register holds while a rule runs, as far as it matters.
enum class Loaded { kOther, kProtocol, kDestinationPort, kBothPorts };

class RuleReader {
 public:
  explicit RuleReader(NftRule* rule) : rule_(rule) {}

  void Read(Attributes& expression) {
    const std::optional<std::string> name = expression.String(NFTA_EXPR_NAME);
    if (!name) return expression.Refuse("no name");
    if (*name == "reject") rule_->rejects = true;
    std::optional<Attributes> data = expression.Nest(NFTA_EXPR_DATA, "nft expression data");
    if (!data) return;
    if (*name == "payload") return ReadPayload(*data);
    if (*name == "meta") return ReadMeta(*data);
    if (*name == "cmp") return ReadCompare(*data);
    if (*name == "range") return ReadRange(*data);
    if (*name == "immediate") return ReadImmediate(*data);
    if (*name == "match") return ReadMatch(*data);
  }

 private:
  void ReadPayload(Attributes& data) {
    const auto into = Number(data, NFTA_PAYLOAD_DREG);
    const auto base = Number(data, NFTA_PAYLOAD_BASE);
    const auto offset = Number(data, NFTA_PAYLOAD_OFFSET);
    const auto length = Number(data, NFTA_PAYLOAD_LEN);
    if (!into) return;  // writes to the packet instead
    loaded_[*into] = Loaded::kOther;
    if (base == NFT_PAYLOAD_TRANSPORT_HEADER) {
      if (offset == 2 && length == 2) loaded_[*into] = Loaded::kDestinationPort;
      if (offset == 0 && length == 4) loaded_[*into] = Loaded::kBothPorts;
    }
    const bool protocol_of_ip4 = offset == 9 && length == 1;
    if (base == NFT_PAYLOAD_NETWORK_HEADER && protocol_of_ip4) loaded_[*into] = Loaded::kProtocol;
  }

  void ReadMeta(Attributes& data) {
    const auto into = Number(data, NFTA_META_DREG);
    const auto key = Number(data, NFTA_META_KEY);
    if (into) loaded_[*into] = key == NFT_META_L4PROTO ? Loaded::kProtocol : Loaded::kOther;
  }

  static ByteView Value(Attributes& data, uint16_t type) {
    std::optional<Attributes> nest = data.Nest(type, "nft data");
    if (!nest) return {};
    return nest->Raw(NFTA_DATA_VALUE).value_or(ByteView());
  }
  // The destination port in the value that a register is compared with.
  static std::optional<uint16_t> Port(Loaded loaded, ByteView value) {
    if (loaded == Loaded::kBothPorts && value.size() == 4) value = value.subspan(2);
    if (loaded != Loaded::kDestinationPort && loaded != Loaded::kBothPorts) return std::nullopt;
    if (value.size() != 2) return std::nullopt;
    return static_cast<uint16_t>(value[0] << 8 | value[1]);
  }
  Loaded In(std::optional<uint32_t> reg) const {
    const auto found = reg ? loaded_.find(*reg) : loaded_.end();
    return found == loaded_.end() ? Loaded::kOther : found->second;
  }

  void ReadCompare(Attributes& data) {
    const Loaded loaded = In(Number(data, NFTA_CMP_SREG));
    const auto operation = Number(data, NFTA_CMP_OP);
    const ByteView value = Value(data, NFTA_CMP_DATA);
    if (loaded == Loaded::kProtocol && operation == NFT_CMP_EQ && value.size() == 1) {
      rule_->protocol = value[0];
    }
    const std::optional<uint16_t> port = Port(loaded, value);
    if (!port) return;
    switch (operation.value_or(NFT_CMP_EQ)) {
      case NFT_CMP_LT:
      case NFT_CMP_LTE:
        return rule_->destination_ports.push_back({0, *port});
      case NFT_CMP_GT:
      case NFT_CMP_GTE:
        return rule_->destination_ports.push_back({*port, 0xffff});
      default:
        return rule_->destination_ports.push_back({*port, *port});
    }
  }

  void ReadRange(Attributes& data) {
    const Loaded loaded = In(Number(data, NFTA_RANGE_SREG));
    const auto first = Port(loaded, Value(data, NFTA_RANGE_FROM_DATA));
    const auto last = Port(loaded, Value(data, NFTA_RANGE_TO_DATA));
    if (first && last) rule_->destination_ports.push_back({*first, *last});
  }

  void ReadImmediate(Attributes& data) {
    if (Number(data, NFTA_IMMEDIATE_DREG) != NFT_REG_VERDICT) return;
    std::optional<Attributes> value = data.Nest(NFTA_IMMEDIATE_DATA, "nft data");
    if (!value) return;
    std::optional<Attributes> verdict = value->Nest(NFTA_DATA_VERDICT, "nft verdict");
    if (!verdict) return;
    if (const auto code = Number(*verdict, NFTA_VERDICT_CODE)) {
      rule_->verdict = static_cast<int32_t>(*code);
    }
  }

  // iptables through nf_tables: struct xt_udp of linux/netfilter/xt_tcpudp.h, ports in host order.
  void ReadMatch(Attributes& data) {
    constexpr uint8_t kUdp = 17;
    const auto name = data.String(NFTA_MATCH_NAME);
    const std::optional<ByteView> info = data.Raw(NFTA_MATCH_INFO);
    if (name != "udp" || !info || info->size() < 8) return;
    NftRule::Ports ports;
    std::memcpy(&ports.first, info->data() + 4, 2);
    std::memcpy(&ports.last, info->data() + 6, 2);
    rule_->protocol = kUdp;
    const bool any = ports.first == 0 && ports.last == 0xffff;
    if (!any) rule_->destination_ports.push_back(ports);
  }

  NftRule* const rule_;
  std::map<uint32_t, Loaded> loaded_;
};

template <typename Row>
absl::StatusOr<std::vector<Row>> ReadAll(Transport& netfilter, const Request& request,
                                         absl::StatusOr<Row> (*decode)(const Message&)) {
  ASSIGN_OR_RETURN(const std::vector<Message> messages, netfilter.Exchange(request));
  std::vector<Row> rows;
  for (const Message& message : messages) {
    ASSIGN_OR_RETURN(Row row, decode(message));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Request NftChainsRequest() { return DumpRequest(NFT_MSG_GETCHAIN, "list of packet filter chains"); }
Request NftRulesRequest() { return DumpRequest(NFT_MSG_GETRULE, "list of packet filter rules"); }

absl::StatusOr<NftChain> DecodeNftChain(const Message& message) {
  if (message.type != TypeOf(NFT_MSG_NEWCHAIN)) {
    return DataLoss("message type {} is no packet filter chain", message.type);
  }
  nfgenmsg header;
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "nft chain", header));
  absl::Status malformed;
  Attributes attributes(rest, "nft chain", malformed);
  NftChain chain{.family = header.nfgen_family,
                 .table = Required(attributes, NFTA_CHAIN_TABLE, "table"),
                 .name = Required(attributes, NFTA_CHAIN_NAME, "name")};
  if (auto hook = attributes.Nest(NFTA_CHAIN_HOOK, "nft hook")) {
    chain.hook = Number(*hook, NFTA_HOOK_HOOKNUM);
  }
  chain.policy = Number(attributes, NFTA_CHAIN_POLICY);
  RETURN_IF_ERROR(malformed);
  return chain;
}

absl::StatusOr<NftRule> DecodeNftRule(const Message& message) {
  if (message.type != TypeOf(NFT_MSG_NEWRULE)) {
    return DataLoss("message type {} is no packet filter rule", message.type);
  }
  nfgenmsg header;
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "nft rule", header));
  absl::Status malformed;
  Attributes attributes(rest, "nft rule", malformed);
  NftRule rule{.family = header.nfgen_family,
               .table = Required(attributes, NFTA_RULE_TABLE, "table"),
               .chain = Required(attributes, NFTA_RULE_CHAIN, "chain")};
  if (auto expressions = attributes.Nest(NFTA_RULE_EXPRESSIONS, "nft expressions")) {
    RuleReader reader(&rule);
    for (const Attribute& element : expressions->all()) {
      if (element.type != NFTA_LIST_ELEM) continue;
      Attributes expression = expressions->Entry(element, "nft expression");
      reader.Read(expression);
    }
  }
  RETURN_IF_ERROR(malformed);
  return rule;
}

absl::StatusOr<std::vector<NftChain>> ReadNftChains(Transport& netfilter) {
  return ReadAll(netfilter, NftChainsRequest(), &DecodeNftChain);
}
absl::StatusOr<std::vector<NftRule>> ReadNftRules(Transport& netfilter) {
  return ReadAll(netfilter, NftRulesRequest(), &DecodeNftRule);
}

}  // namespace roceready::netlink
