// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/nftables.h"

#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

#include <algorithm>

#include "agent/netlink/attributes.h"
#include "agent/netlink/nft_expressions.h"

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

std::string Required(Attributes& attributes, uint16_t type, std::string_view what) {
  std::optional<std::string> text = attributes.String(type);
  if (!text || text->empty()) attributes.Refuse(fmt::format("no {}", what));
  return std::move(text).value_or("");
}

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

Request NftTablesRequest() { return DumpRequest(NFT_MSG_GETTABLE, "list of packet filter tables"); }
Request NftChainsRequest() { return DumpRequest(NFT_MSG_GETCHAIN, "list of packet filter chains"); }
Request NftRulesRequest() { return DumpRequest(NFT_MSG_GETRULE, "list of packet filter rules"); }

absl::StatusOr<NftTable> DecodeNftTable(const Message& message) {
  if (message.type != TypeOf(NFT_MSG_NEWTABLE)) {
    return DataLoss("message type {} is no packet filter table", message.type);
  }
  nfgenmsg header{};
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "nft table", header));
  absl::Status malformed;
  Attributes attributes(rest, "nft table", malformed);
  NftTable table{.family = header.nfgen_family,
                 .name = Required(attributes, NFTA_TABLE_NAME, "name")};
  const uint32_t flags = NftNumber(attributes, NFTA_TABLE_FLAGS).value_or(0);
  table.is_dormant = (flags & NFT_TABLE_F_DORMANT) != 0;
  RETURN_IF_ERROR(malformed);
  return table;
}

absl::StatusOr<NftChain> DecodeNftChain(const Message& message) {
  if (message.type != TypeOf(NFT_MSG_NEWCHAIN)) {
    return DataLoss("message type {} is no packet filter chain", message.type);
  }
  nfgenmsg header{};
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "nft chain", header));
  absl::Status malformed;
  Attributes attributes(rest, "nft chain", malformed);
  NftChain chain{.family = header.nfgen_family,
                 .table = Required(attributes, NFTA_CHAIN_TABLE, "table"),
                 .name = Required(attributes, NFTA_CHAIN_NAME, "name")};
  if (auto hook = attributes.Nest(NFTA_CHAIN_HOOK, "nft hook")) {
    chain.hook = NftNumber(*hook, NFTA_HOOK_HOOKNUM);
  }
  chain.policy = NftNumber(attributes, NFTA_CHAIN_POLICY);
  RETURN_IF_ERROR(malformed);
  return chain;
}

absl::StatusOr<NftRule> DecodeNftRule(const Message& message) {
  if (message.type != TypeOf(NFT_MSG_NEWRULE)) {
    return DataLoss("message type {} is no packet filter rule", message.type);
  }
  nfgenmsg header{};
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "nft rule", header));
  absl::Status malformed;
  Attributes attributes(rest, "nft rule", malformed);
  NftRule rule{.family = header.nfgen_family,
               .table = Required(attributes, NFTA_RULE_TABLE, "table"),
               .chain = Required(attributes, NFTA_RULE_CHAIN, "chain")};
  if (auto expressions = attributes.Nest(NFTA_RULE_EXPRESSIONS, "nft expressions")) {
    NftExpressionReader reader(&rule);
    for (const Attribute& element : expressions->all()) {
      if (element.type != NFTA_LIST_ELEM) continue;
      Attributes expression = expressions->Entry(element, "nft expression");
      reader.Read(expression);
    }
  }
  RETURN_IF_ERROR(malformed);
  return rule;
}

bool NftRule::MayTakeUdpPort(uint16_t port) const {
  return takes_udp && std::ranges::any_of(destination_ports, [port](const Ports& ports) {
           return ports.first <= port && port <= ports.last;
         });
}

absl::StatusOr<std::vector<NftTable>> ReadNftTables(Transport& netfilter) {
  return ReadAll(netfilter, NftTablesRequest(), &DecodeNftTable);
}
absl::StatusOr<std::vector<NftChain>> ReadNftChains(Transport& netfilter) {
  return ReadAll(netfilter, NftChainsRequest(), &DecodeNftChain);
}
absl::StatusOr<std::vector<NftRule>> ReadNftRules(Transport& netfilter) {
  return ReadAll(netfilter, NftRulesRequest(), &DecodeNftRule);
}

}  // namespace roceready::netlink
