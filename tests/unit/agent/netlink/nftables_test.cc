// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/nftables.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>

#include <map>

#include "agent/netlink/words.h"
#include "tests/unit/agent/netlink/recorded.h"

namespace roceready::netlink {
namespace {

using testing::ElementsAre;

constexpr uint16_t kNewTable = 0x0a00;
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
  EXPECT_EQ(NftTablesRequest().type, 0x0a01);
  EXPECT_EQ(NftChainsRequest().type, 0x0a04);
  EXPECT_EQ(NftRulesRequest().type, 0x0a07);
  EXPECT_TRUE(NftRulesRequest().dump);
  EXPECT_EQ(NftRulesRequest().payload, Bytes(4));
}

TEST(Nftables, ATableSaysWhetherItIsDormant) {
  const auto decoded = [](std::string_view name, uint32_t flags) {
    PayloadBuilder payload;
    payload.PutHeader(nfgenmsg{.nfgen_family = 1, .version = 0, .res_id = 0});
    if (!name.empty()) payload.PutString(NFTA_TABLE_NAME, name);
    payload.Append(Numbers({{NFTA_TABLE_FLAGS, flags}}));
    return DecodeNftTable({.type = kNewTable, .payload = payload.Take()});
  };
  EXPECT_FALSE(decoded("filter", 0)->is_dormant);
  EXPECT_TRUE(decoded("filter", NFT_TABLE_F_DORMANT)->is_dormant);
  // NFT_TABLE_F_OWNER of newer kernels.
  EXPECT_FALSE(decoded("filter", 2)->is_dormant);
  EXPECT_EQ(decoded("", 0).status().code(), absl::StatusCode::kDataLoss);
}

// tests/hosts/filter-6.18/ruleset, in its order.
TEST(Nftables, ARealKernelsTablesAreNamedAndTheDormantOneIsTold) {
  auto netfilter = FakeTransport::FromFile(SourcePath("tests/hosts/filter-6.18/netfilter.txt"));
  ASSERT_TRUE(netfilter.ok()) << netfilter.status();
  const auto tables = ReadNftTables(*netfilter);
  ASSERT_TRUE(tables.ok()) << tables.status();
  std::vector<std::string> told;
  for (const NftTable& table : *tables) {
    told.push_back(NftFamilyWord(table.family) + " " + table.name);
    if (table.is_dormant) told.back() += " asleep";
  }
  EXPECT_THAT(told, ElementsAre("inet t", "ip filter", "ip nat", "inet asleep asleep"));
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

NftRule DecodedWith(std::initializer_list<PayloadBuilder> expressions) {
  return Decoded(Rule(expressions));
}
PayloadBuilder Range(std::initializer_list<uint8_t> first, std::initializer_list<uint8_t> last,
                     uint32_t operation) {
  PayloadBuilder range = Numbers({{NFTA_RANGE_SREG, 1}, {NFTA_RANGE_OP, operation}});
  range.PutNest(NFTA_RANGE_FROM_DATA, Data(first)).PutNest(NFTA_RANGE_TO_DATA, Data(last));
  return Expression("range", range);
}
PayloadBuilder Jump(int32_t code, std::string_view chain) {
  PayloadBuilder inner = Numbers({{NFTA_VERDICT_CODE, static_cast<uint32_t>(code)}});
  inner.PutString(NFTA_VERDICT_CHAIN, chain);
  PayloadBuilder verdict;
  verdict.PutNest(NFTA_DATA_VERDICT, inner);
  PayloadBuilder data = Numbers({{NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT}});
  return Expression("immediate", data.PutNest(NFTA_IMMEDIATE_DATA, verdict));
}
PayloadBuilder Match(std::string_view name, const Bytes& info = Bytes(16)) {
  PayloadBuilder match;
  match.PutString(NFTA_MATCH_NAME, name).PutBytes(NFTA_MATCH_INFO, info);
  return Expression("match", match);
}
PayloadBuilder Target(std::string_view name) {
  PayloadBuilder target;
  target.PutString(NFTA_TARGET_NAME, name).PutBytes(NFTA_TARGET_INFO, Bytes(8));
  return Expression("target", target);
}
// Any source port, destination 4791, in host order.
Bytes UdpInfo() { return {0, 0, 0xff, 0xff, 0xb7, 0x12, 0xb7, 0x12, 0, 0}; }

TEST(Nftables, UdpDportIsAComparisonOfTwoBytes) {
  const NftRule rule = DecodedWith(
      {LoadProtocol(), Compare({kUdp}), LoadTransport(2, 2), Compare({0x12, 0xb7}), Verdict(0)});
  EXPECT_EQ(rule.table, "filter");
  EXPECT_TRUE(rule.takes_udp);
  EXPECT_FALSE(rule.conditional);
  EXPECT_THAT(rule.destination_ports, ElementsAre(NftRule::Ports{4791, 4791}));
  EXPECT_EQ(rule.verdict, "drop");
  EXPECT_TRUE(rule.MayTakeUdpPort(4791));
  EXPECT_FALSE(rule.MayTakeUdpPort(4790));
}

TEST(Nftables, ARuleWithoutComparisonTakesEachPacket) {
  const NftRule rule = DecodedWith({Verdict(0)});
  EXPECT_TRUE(rule.MayTakeUdpPort(0) && rule.MayTakeUdpPort(0xffff));
  EXPECT_FALSE(rule.conditional);
}

TEST(Nftables, OtherProtocolsAreNotUdp) {
  EXPECT_FALSE(DecodedWith({LoadProtocol(), Compare({6}), Verdict(1)}).takes_udp);
  EXPECT_FALSE(DecodedWith({LoadProtocol(), Compare({kUdp}, NFT_CMP_NEQ), Verdict(0)}).takes_udp);
  EXPECT_TRUE(DecodedWith({LoadProtocol(), Compare({6}, NFT_CMP_NEQ), Verdict(0)}).takes_udp);
}

TEST(Nftables, BothPortsAtOnceAskForTheSourceTooAndJumpsKeepTheirChain) {
  const NftRule rule =
      DecodedWith({LoadTransport(0, 4), Compare({0x00, 0x01, 0x12, 0xb7}), Jump(NFT_JUMP, "roce")});
  EXPECT_THAT(rule.destination_ports, ElementsAre(NftRule::Ports{4791, 4791}));
  EXPECT_TRUE(rule.conditional);
  EXPECT_EQ(rule.verdict, "jump");
  EXPECT_EQ(rule.target, "roce");
}

TEST(Nftables, SourcePortsAreNoDestinationPortsButACondition) {
  const NftRule rule = DecodedWith({LoadTransport(0, 2), Compare({0x12, 0xb7}), Verdict(0)});
  EXPECT_TRUE(rule.MayTakeUdpPort(1));
  EXPECT_TRUE(rule.conditional);
}

TEST(Nftables, InequalitiesAreRangesWithoutThePortItself) {
  const auto ports = [](uint32_t operation) {
    return DecodedWith({LoadTransport(2, 2), Compare({0x12, 0xb7}, operation), Verdict(0)})
        .destination_ports;
  };
  EXPECT_THAT(ports(NFT_CMP_LT), ElementsAre(NftRule::Ports{0, 4790}));
  EXPECT_THAT(ports(NFT_CMP_LTE), ElementsAre(NftRule::Ports{0, 4791}));
  EXPECT_THAT(ports(NFT_CMP_GT), ElementsAre(NftRule::Ports{4792, 0xffff}));
  EXPECT_THAT(ports(NFT_CMP_GTE), ElementsAre(NftRule::Ports{4791, 0xffff}));
  EXPECT_THAT(ports(NFT_CMP_NEQ),
              ElementsAre(NftRule::Ports{0, 4790}, NftRule::Ports{4792, 0xffff}));
  const auto beyond = [](std::initializer_list<uint8_t> port, uint32_t operation) {
    return DecodedWith({LoadTransport(2, 2), Compare(port, operation)}).destination_ports;
  };
  EXPECT_TRUE(beyond({0, 0}, NFT_CMP_LT).empty());
  EXPECT_TRUE(beyond({0xff, 0xff}, NFT_CMP_GT).empty());
}

TEST(Nftables, RangesMayBeInvertedAndSeveralComparisonsAllHold) {
  const NftRule within =
      DecodedWith({LoadTransport(2, 2), Range({0x10, 0}, {0x20, 0}, NFT_RANGE_EQ),
                   Compare({0x12, 0xb7}, NFT_CMP_GTE)});
  EXPECT_THAT(within.destination_ports, ElementsAre(NftRule::Ports{4791, 0x2000}));
  const NftRule outside =
      DecodedWith({LoadTransport(2, 2), Range({0x10, 0}, {0x20, 0}, NFT_RANGE_NEQ), Verdict(0)});
  EXPECT_FALSE(outside.MayTakeUdpPort(4791));
  EXPECT_TRUE(outside.MayTakeUdpPort(0xfff) && outside.MayTakeUdpPort(0x2001));
  EXPECT_FALSE(outside.conditional || within.conditional);
}

TEST(Nftables, ANetworkIsAskedForByItsFamily) {
  const auto load =
      Expression("meta", Numbers({{NFTA_META_KEY, NFT_META_NFPROTO}, {NFTA_META_DREG, 1}}));
  EXPECT_EQ(DecodedWith({load, Compare({10}), Verdict(0)}).network, 10);
  EXPECT_EQ(DecodedWith({load, Compare({10}, NFT_CMP_NEQ), Verdict(0)}).network, 2);
  EXPECT_FALSE(DecodedWith({load, Compare({10}), load, Compare({2}), Verdict(0)}).takes_udp);
}

TEST(Nftables, WhatIsComparedWithAForgottenRegisterIsACondition) {
  const auto bitwise =
      Expression("bitwise", Numbers({{NFTA_BITWISE_SREG, 1}, {NFTA_BITWISE_DREG, 1}}));
  const NftRule masked =
      DecodedWith({LoadTransport(2, 2), bitwise, Compare({0x12, 0xb0}), Verdict(0)});
  EXPECT_TRUE(masked.conditional);
  EXPECT_TRUE(masked.MayTakeUdpPort(4791));
  // The 16-byte register 1 and the 4-byte register 8 are the same.
  PayloadBuilder other = Numbers({{NFTA_CMP_SREG, NFT_REG32_00}, {NFTA_CMP_OP, NFT_CMP_EQ}});
  other.PutNest(NFTA_CMP_DATA, Data({0x12, 0xb7}));
  const NftRule alias = DecodedWith({LoadTransport(2, 2), Expression("cmp", other), Verdict(0)});
  EXPECT_FALSE(alias.conditional);
  EXPECT_THAT(alias.destination_ports, ElementsAre(NftRule::Ports{4791, 4791}));
}

TEST(Nftables, SetsAreConditionsAndMapsAreVerdicts) {
  const auto lookup = Expression("lookup", Numbers({{NFTA_LOOKUP_SREG, 1}}));
  const NftRule set = DecodedWith({LoadTransport(2, 2), lookup, Verdict(0)});
  EXPECT_TRUE(set.conditional);
  EXPECT_EQ(set.verdict, "drop");
  const auto map =
      Expression("lookup", Numbers({{NFTA_LOOKUP_SREG, 1}, {NFTA_LOOKUP_DREG, NFT_REG_VERDICT}}));
  EXPECT_EQ(DecodedWith({LoadTransport(2, 2), map}).verdict, "map");
}

TEST(Nftables, LimitsAreConditionsAndCountersAreNot) {
  EXPECT_TRUE(DecodedWith({Expression("limit", Numbers({})), Verdict(0)}).conditional);
  EXPECT_FALSE(DecodedWith({Expression("counter", Numbers({})), Verdict(0)}).conditional);
}

TEST(Nftables, WhatDecidesAndIsNoVerdictGoesByItsName) {
  EXPECT_EQ(DecodedWith({Expression("reject", Numbers({{1, 0}}))}).verdict, "reject");
  EXPECT_EQ(DecodedWith({Expression("queue", Numbers({{1, 0}}))}).verdict, "queue");
  EXPECT_EQ(DecodedWith({Expression("of-later", Numbers({}))}).verdict, "of-later");
  EXPECT_EQ(DecodedWith({Expression("log", Numbers({}))}).verdict, "");
}

TEST(Nftables, IptablesUdpMatchIsRead) {
  const NftRule rule = DecodedWith({Match("udp", UdpInfo()), Verdict(0)});
  EXPECT_THAT(rule.destination_ports, ElementsAre(NftRule::Ports{4791, 4791}));
  EXPECT_FALSE(rule.conditional);
  Bytes inverted = UdpInfo();
  inverted[8] = 2;
  EXPECT_FALSE(DecodedWith({Match("udp", inverted), Verdict(0)}).MayTakeUdpPort(4791));
  Bytes source = UdpInfo();
  source[2] = 7;
  EXPECT_TRUE(DecodedWith({Match("udp", source), Verdict(0)}).conditional);
  EXPECT_TRUE(absl::IsDataLoss(DecodeNftRule(Rule({Match("udp", Bytes(8))})).status()));
}

TEST(Nftables, OtherIptablesMatchesAreConditionsAndCommentsAreNot) {
  EXPECT_TRUE(DecodedWith({Match("multiport"), Verdict(0)}).conditional);
  EXPECT_FALSE(DecodedWith({Match("comment"), Verdict(0)}).conditional);
  EXPECT_FALSE(DecodedWith({Match("tcp"), Verdict(0)}).takes_udp);
}

TEST(Nftables, IptablesTargetsDecideByTheirNameOrGoOn) {
  EXPECT_EQ(DecodedWith({Target("REJECT")}).verdict, "reject");
  EXPECT_EQ(DecodedWith({Target("LOG")}).verdict, "");
  EXPECT_EQ(DecodedWith({Target("MASQUERADE")}).verdict, "accept");
  EXPECT_EQ(DecodedWith({Target("TPROXY")}).verdict, "TPROXY");
}

// What a rule says about UDP port 4791.
std::string WordsOf(const NftRule& rule) {
  if (rule.verdict.empty()) return "nothing";
  if (!rule.MayTakeUdpPort(4791)) return "never";
  std::string words = rule.verdict + (rule.conditional ? " some" : " each");
  if (rule.network) words += " of " + NftFamilyWord(*rule.network);
  return words + (rule.target.empty() ? "" : " to " + rule.target);
}

// tests/hosts/filter-6.18/ruleset, in its order.
TEST(Nftables, ARealKernelsRulesSayWhatTheyWereWrittenFor) {
  auto netfilter = FakeTransport::FromFile(SourcePath("tests/hosts/filter-6.18/netfilter.txt"));
  ASSERT_TRUE(netfilter.ok()) << netfilter.status();
  const auto chains = ReadNftChains(*netfilter);
  const auto rules = ReadNftRules(*netfilter);
  ASSERT_TRUE(chains.ok() && rules.ok()) << chains.status() << rules.status();
  std::map<std::string, std::vector<std::string>> by_chain;
  for (const NftRule& rule : *rules) by_chain[rule.chain].push_back(WordsOf(rule));
  EXPECT_THAT(by_chain["exact"],
              ElementsAre("drop each", "never", "accept each", "never", "never", "never",
                          "drop each", "never", "reject each of ip6", "nothing"));
  EXPECT_THAT(by_chain["some"],
              ElementsAre("drop some", "drop some", "drop some", "drop some of ip", "accept some",
                          "drop some", "drop some", "drop some", "map some"));
  EXPECT_THAT(by_chain["input"], ElementsAre("never", "jump each to inner", "goto each to some"));
  EXPECT_THAT(by_chain["INPUT"],
              ElementsAre("drop some", "reject each", "never", "accept some", "nothing"));
  EXPECT_THAT(by_chain["POSTROUTING"], ElementsAre("accept some"));
  size_t hooked = 0;
  for (const NftChain& chain : *chains) hooked += chain.hook.has_value() ? 1 : 0;
  EXPECT_EQ(hooked, 3u);
}

TEST(Nftables, CutNestedWrongAndForeignAnswersAreRefused) {
  Message whole = Rule({LoadTransport(2, 2), Compare({0x12, 0xb7})});
  for (size_t size = 0; size + 4 < whole.payload.size(); size += 4) {
    Message cut = whole;
    cut.payload.resize(size);
    const auto rule = DecodeNftRule(cut);
    const bool nothing_invented = rule.ok() ? rule->destination_ports == NftRule().destination_ports
                                            : absl::IsDataLoss(rule.status());
    EXPECT_TRUE(nothing_invented) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(DecodeNftChain(whole).status()));
  Message nameless = whole;
  nameless.payload = PayloadBuilder().PutHeader(nfgenmsg{}).Take();
  EXPECT_TRUE(absl::IsDataLoss(DecodeNftRule(nameless).status()));
}

}  // namespace
}  // namespace roceready::netlink
