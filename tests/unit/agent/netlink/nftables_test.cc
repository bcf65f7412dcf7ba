// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/nftables.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>

#include "agent/netlink/words.h"

namespace roceready::netlink {
namespace {

using testing::ElementsAre;

constexpr uint16_t kNewChain = 0x0a03;
constexpr uint16_t kNewRule = 0x0a06;
constexpr uint8_t kUdp = 17;

PayloadBuilder Numbers(std::initializer_list<std::pair<int, uint32_t>> numbers) {
  PayloadBuilder builder;
  for (const auto& [attribute, value] : numbers) {
    builder.PutU32(static_cast<uint16_t>(attribute), htonl(value));
  }
  return builder;
}

PayloadBuilder Data(std::initializer_list<uint8_t> bytes) {
  const Bytes value(bytes);
  return PayloadBuilder().PutBytes(NFTA_DATA_VALUE, value);
}

PayloadBuilder Expression(std::string_view name, const PayloadBuilder& data) {
  PayloadBuilder expression;
  expression.PutString(NFTA_EXPR_NAME, name).PutNest(NFTA_EXPR_DATA, data);
  return PayloadBuilder().PutNest(NFTA_LIST_ELEM, expression);
}

PayloadBuilder LoadProtocol() {
  return Expression("meta", Numbers({{NFTA_META_KEY, NFT_META_L4PROTO}, {NFTA_META_DREG, 1}}));
}
PayloadBuilder LoadTransport(uint32_t offset, uint32_t length) {
  return Expression("payload", Numbers({{NFTA_PAYLOAD_DREG, 1},
                                        {NFTA_PAYLOAD_BASE, NFT_PAYLOAD_TRANSPORT_HEADER},
                                        {NFTA_PAYLOAD_OFFSET, offset},
                                        {NFTA_PAYLOAD_LEN, length}}));
}
PayloadBuilder Compare(std::initializer_list<uint8_t> value, uint32_t operation = NFT_CMP_EQ) {
  PayloadBuilder data = Numbers({{NFTA_CMP_SREG, 1}, {NFTA_CMP_OP, operation}});
  return Expression("cmp", data.PutNest(NFTA_CMP_DATA, Data(value)));
}
PayloadBuilder Verdict(int32_t code) {
  PayloadBuilder verdict;
  verdict.PutNest(NFTA_DATA_VERDICT, Numbers({{NFTA_VERDICT_CODE, static_cast<uint32_t>(code)}}));
  PayloadBuilder data = Numbers({{NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT}});
  return Expression("immediate", data.PutNest(NFTA_IMMEDIATE_DATA, verdict));
}

Message Rule(std::initializer_list<PayloadBuilder> expressions) {
  PayloadBuilder list;
  for (const PayloadBuilder& expression : expressions) list.Append(expression);
  PayloadBuilder payload;
  payload.PutHeader(nfgenmsg{.nfgen_family = 1, .version = 0, .res_id = 0});
  payload.PutString(NFTA_RULE_TABLE, "filter").PutString(NFTA_RULE_CHAIN, "input");
  payload.PutNest(NFTA_RULE_EXPRESSIONS, list);
  return {.type = kNewRule, .payload = payload.Take()};
}

NftRule Decoded(const Message& message) {
  const auto rule = DecodeNftRule(message);
  EXPECT_TRUE(rule.ok()) << rule.status().ToString();
  return rule.ok() ? *rule : NftRule{};
}

TEST(Nftables, RequestsAreDumpsOfAllFamilies) {
  EXPECT_EQ(NftChainsRequest().type, 0x0a04);
  EXPECT_EQ(NftRulesRequest().type, 0x0a07);
  EXPECT_TRUE(NftRulesRequest().dump);
  EXPECT_EQ(NftRulesRequest().payload, Bytes(4));
}

TEST(Nftables, ABaseChainHasHookAndPolicy) {
  PayloadBuilder payload;
  payload.PutHeader(nfgenmsg{.nfgen_family = 1, .version = 0, .res_id = 0});
  payload.PutString(NFTA_CHAIN_TABLE, "filter").PutString(NFTA_CHAIN_NAME, "input");
  payload.PutNest(NFTA_CHAIN_HOOK, Numbers({{NFTA_HOOK_HOOKNUM, 1}, {NFTA_HOOK_PRIORITY, 0}}));
  payload.Append(Numbers({{NFTA_CHAIN_POLICY, 0}}));
  const auto chain = DecodeNftChain({.type = kNewChain, .payload = payload.Take()});
  ASSERT_TRUE(chain.ok()) << chain.status().ToString();
  EXPECT_EQ(chain->name, "input");
  EXPECT_EQ(NftHookWord(chain->family, *chain->hook), "input");
  EXPECT_EQ(chain->policy, 0u);
}

TEST(Nftables, UdpDportIsAComparisonOfTwoBytes) {
  const NftRule rule = Decoded(Rule(
      {LoadProtocol(), Compare({kUdp}), LoadTransport(2, 2), Compare({0x12, 0xb7}), Verdict(0)}));
  EXPECT_EQ(rule.table, "filter");
  EXPECT_EQ(rule.protocol, kUdp);
  EXPECT_THAT(rule.destination_ports, ElementsAre(NftRule::Ports{4791, 4791}));
  EXPECT_EQ(NftVerdictWord(*rule.verdict), "drop");
}

TEST(Nftables, BothPortsAtOnceAreFourBytes) {
  const NftRule rule =
      Decoded(Rule({LoadTransport(0, 4), Compare({0x00, 0x01, 0x12, 0xb7}), Verdict(-3)}));
  EXPECT_THAT(rule.destination_ports, ElementsAre(NftRule::Ports{4791, 4791}));
  EXPECT_EQ(NftVerdictWord(*rule.verdict), "jump");
}

TEST(Nftables, SourcePortsAndOtherLoadsAreNoDestinationPorts) {
  const NftRule rule = Decoded(Rule({LoadTransport(0, 2), Compare({0x12, 0xb7}),
                                     LoadTransport(2, 2), LoadProtocol(), Compare({0x12, 0xb7})}));
  EXPECT_TRUE(rule.destination_ports.empty());
  EXPECT_FALSE(rule.verdict.has_value());
}

TEST(Nftables, RangesAndInequalitiesAreRanges) {
  PayloadBuilder range = Numbers({{NFTA_RANGE_SREG, 1}, {NFTA_RANGE_OP, NFT_RANGE_EQ}});
  range.PutNest(NFTA_RANGE_FROM_DATA, Data({0x10, 0x00}));
  range.PutNest(NFTA_RANGE_TO_DATA, Data({0x20, 0x00}));
  const NftRule rule = Decoded(
      Rule({LoadTransport(2, 2), Expression("range", range), Compare({0x12, 0xb7}, NFT_CMP_GTE)}));
  EXPECT_THAT(rule.destination_ports,
              ElementsAre(NftRule::Ports{0x1000, 0x2000}, NftRule::Ports{4791, 0xffff}));
}

TEST(Nftables, IptablesMatchesAreRead) {
  Bytes info(10, 0);
  info[2] = info[3] = 0xff;  // any source port
  info[4] = info[6] = 0xb7;  // 4791 in host order, first and last
  info[5] = info[7] = 0x12;
  PayloadBuilder match;
  match.PutString(NFTA_MATCH_NAME, "udp").PutBytes(NFTA_MATCH_INFO, info);
  const NftRule rule = Decoded(Rule({Expression("match", match)}));
  EXPECT_THAT(rule.destination_ports, ElementsAre(NftRule::Ports{4791, 4791}));
  EXPECT_EQ(rule.protocol, kUdp);
}

TEST(Nftables, RejectIsNoVerdictOfTheKernels) {
  EXPECT_TRUE(Decoded(Rule({Expression("reject", Numbers({{1, 0}}))})).rejects);
}

TEST(Nftables, CutNestedWrongAndForeignAnswersAreRefused) {
  Message whole = Rule({LoadTransport(2, 2), Compare({0x12, 0xb7})});
  for (size_t size = 0; size + 4 < whole.payload.size(); size += 4) {
    Message cut = whole;
    cut.payload.resize(size);
    const auto rule = DecodeNftRule(cut);
    const bool nothing_invented =
        rule.ok() ? rule->destination_ports.empty() : absl::IsDataLoss(rule.status());
    EXPECT_TRUE(nothing_invented) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(DecodeNftChain(whole).status()));
  Message nameless = whole;
  nameless.payload = PayloadBuilder().PutHeader(nfgenmsg{}).Take();
  EXPECT_TRUE(absl::IsDataLoss(DecodeNftRule(nameless).status()));
}

}  // namespace
}  // namespace roceready::netlink
